"""An assistant's door: treemip by the Model Context Protocol"""

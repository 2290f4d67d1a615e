from trying import IRIS, solved

assert solved(IRIS.replace("binoct", "plain_labels")).objective == 100

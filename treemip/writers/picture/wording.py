"""The words of pictures in English, German and French; each may be replaced, such
as `points` by `customers`."""

from __future__ import annotations

LANGUAGES = ("en", "de", "fr")

WORDS: dict[str, tuple[str, str, str]] = {
    "point": ("point", "Punkt", "point"),
    "points": ("points", "Punkte", "points"),
    "no point": ("no point", "kein Punkt", "aucun point"),
    "leaf": ("leaf", "Blatt", "feuille"),
    "leaves": ("leaves", "Blätter", "feuilles"),
    "leaves below": ("leaves below", "Blätter darunter", "feuilles au-dessous"),
    "is": ("is", "ist", "est"),
    "is not": ("is not", "ist nicht", "n'est pas"),
    "or": ("or", "oder", "ou"),
    "any other value": ("any other value", "ein anderer Wert", "une autre valeur"),
    "missing": ("missing", "fehlend", "manquant"),
    "known": ("known", "bekannt", "connu"),
    "every point": ("every point", "jeder Punkt", "tout point"),
    "sum": ("sum", "Summe", "somme"),
    "weighted sum": ("weighted sum", "gewichtete Summe", "somme pondérée"),
    "left": ("left", "links", "gauche"),
    "right": ("right", "rechts", "droite"),
    "left with probability": (
        "left with probability",
        "links mit Wahrscheinlichkeit",
        "à gauche avec probabilité",
    ),
    "most probable for": (
        "most probable for",
        "am wahrscheinlichsten für",
        "le plus probable pour",
    ),
    "and": ("and", "und", "et"),
    "more": ("more", "weitere", "autres"),
    "more classes": ("more classes", "weitere Klassen", "autres classes"),
    "mean": ("mean", "Mittel", "moyenne"),
    "sd": ("sd", "Std.abw.", "écart-type"),
    "median": ("median", "Median", "médiane"),
    "not reached": ("not reached", "nicht erreicht", "non atteinte"),
    "event": ("event", "Ereignis", "événement"),
    "events": ("events", "Ereignisse", "événements"),
    "hazard": ("hazard", "Risiko", "risque"),
    "width": (
        "width of a line: how many {} take it",
        "Breite einer Linie: wie viele {} sie nehmen",
        "largeur d'un trait : nombre de {} qui le suivent",
    ),
    "bars": (
        "bars: effects on the scaled features, + right of the line, - left; numbers: weights in "
        "raw units",
        "Balken: Wirkung auf die skalierten Merkmale, + rechts, - links; Zahlen: Gewichte in "
        "Rohwerten",
        "barres : effets sur les variables normalisées, + à droite, - à gauche ; nombres : poids "
        "en unités brutes",
    ),
    "strip": (
        "bar: middle half of the points' values, with the median; triangle: what the leaf answers",
        "Balken: mittlere Hälfte der Werte mit Median; Dreieck: Antwort des Blatts",
        "barre : moitié centrale des valeurs et médiane ; triangle : réponse de la feuille",
    ),
    "received": (
        "means of the outcome as observed, for the points that received each; answers follow the "
        "estimates in the spec's objective, which may weigh outcomes",
        "beobachtete Mittel des Ergebnisses, für die Punkte, die dies jeweils erhielten; Antworten "
        "folgen den Schätzungen im Ziel der Spezifikation, die Ergebnisse gewichten können",
        "moyennes observées du résultat, pour les points qui ont reçu chacun ; les réponses "
        "suivent les estimations de l'objectif, qui peuvent pondérer les résultats",
    ),
    "estimate": ("estimate", "Schätzung", "estimation"),
    "estimated": (
        "estimate: the outcome of all {} of the leaf under each choice, as the objective counts "
        "it; mean: as observed, of those that received it",
        "Schätzung: das Ergebnis aller {} des Blatts bei jeder Wahl, wie das Ziel es zählt; "
        "Mittel: beobachtet, derer, die sie erhielten",
        "estimation : le résultat de tous les {} de la feuille pour chaque choix, comme "
        "l'objectif le compte ; moyenne : observée, de ceux qui l'ont reçu",
    ),
    "curve": (
        "curve: share without an event over time (Kaplan-Meier); hazard: as a multiple of that of "
        "all points",
        "Kurve: Anteil ohne Ereignis über die Zeit (Kaplan-Meier); Risiko: als Vielfaches des "
        "Risikos aller Punkte",
        "courbe : part sans événement au cours du temps (Kaplan-Meier) ; risque : en multiple de "
        "celui de tous les points",
    ),
    "against": (
        "in sums, {} counts 0",
        "in Summen zählt {} 0",
        "dans les sommes, {} compte 0",
    ),
    "title": ("Tree", "Baum", "Arbre"),
    "learned from": ("learned from", "gelernt aus", "appris à partir de"),
    "as text": ("The tree as text", "Der Baum als Text", "L'arbre en texte"),
    "as table": ("The leaves as a table", "Die Blätter als Tabelle", "Les feuilles en tableau"),
    "weights": ("All weights", "Alle Gewichte", "Tous les poids"),
    "condition": ("what leads there", "was dorthin führt", "ce qui y mène"),
    "answer": ("answer", "Antwort", "réponse"),
    "keys": (
        "Drag to move, wheel or + and - to zoom, 0 for the whole tree, arrows to go from node to "
        "node.",
        "Ziehen verschiebt, Mausrad oder + und - vergrößern, 0 zeigt alles, Pfeile gehen von "
        "Knoten zu Knoten.",
        "Glisser déplace, molette ou + et - agrandissent, 0 montre tout, les flèches vont de nœud "
        "en nœud.",
    ),
}
"""Each by its key, in the order of LANGUAGES."""

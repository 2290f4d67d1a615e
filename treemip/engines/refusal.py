"""Why an exact method does not answer for a spec."""


class Refusal(Exception):
    """The text completes "the engine does not answer: ..."."""

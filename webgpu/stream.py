"""`Stream`: the commands of a batch, as they are asked for."""

from __future__ import annotations

from array import array

from . import gpu as G


class Stream:
    """Words, blobs and texts of the batch being filled (see gpu.py for the format).

    The words of a command come last and at once, so that Ctrl-C leaves none by half.
    """

    def __init__(self):
        self.reset()

    def reset(self):
        self.words = array("i", [G.FORMAT])
        self.blobs = []
        self.texts = []
        self.runs = 0
        self.bytes = 0  # of the blobs

    def take(self):
        """Return (words, blobs, texts) and begin the next batch."""
        batch = (self.words, self.blobs, self.texts)
        self.reset()
        return batch

    def buffer(self, id, nwords):
        self.words.extend(array("i", [G.BUFFER, id, nwords]))

    def free(self, id):
        self.words.extend(array("i", [G.FREE, id]))

    def write(self, id, blob):
        """Write bytes (a whole number of words) at the start of a buffer."""
        nwords = len(blob) // 4
        place = len(self.blobs)
        self.blobs.append(blob)
        self.words.extend(array("i", [G.WRITE, id, 0, nwords, place]))
        self.bytes += len(blob)

    def kernel(self, id, text, access, nparams, trusted=False):
        command = G.TRUSTED if trusted else G.KERNEL
        head = [command, id, len(self.texts), len(access)]
        self.texts.append(text)
        self.words.extend(array("i", head + access + [nparams]))

    def run(self, words):
        """Add the words of a RUN."""
        self.words.extend(words)
        self.runs += 1

    def copy(self, src, offset, dst, to, nwords):
        """Copy words of one buffer to another, or within one; returns the command."""
        words = array("i", [G.COPY, src, offset, dst, to, nwords])
        self.words.extend(words)
        return words

    def program(self, id, words):
        """Have the player keep RUNs and COPYs."""
        self.words.extend(array("i", [G.PROGRAM, id, len(words)]) + words)

    def play(self, id):
        """Do what a program holds."""
        self.words.extend(array("i", [G.PLAY, id]))

    def drop(self, id):
        """Forget a program."""
        self.words.extend(array("i", [G.DROP, id]))

    def read(self, id, nwords):
        self.words.extend(array("i", [G.READ, id, 0, nwords]))


def run_words(kernel, nbuf, groups, params):
    """The words of a RUN whose buffers are still 0; they stand from word 3 on."""
    gx, gy = groups
    words = [G.RUN, kernel, nbuf] + [0] * nbuf + [gx, gy, 1, len(params)]
    return array("i", words + params)

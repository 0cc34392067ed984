# Not imported: that it doesn't compile is no matter.
def (

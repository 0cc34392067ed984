# Fills memory until none is given.
kept = []
while True:
    kept.append(bytearray(b"x" * (64 << 20)))

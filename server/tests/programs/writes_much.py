# Fills its folder, file by file.
for number in range(100):
    with open(f"/work/home/{number}", "wb") as file:
        file.write(b"x" * (64 << 20))

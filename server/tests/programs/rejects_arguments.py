# A required argument is missing: argparse leaves with status 2.
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--width", required=True)
parser.parse_args()

"""What the commands in `giornata.py` are made of."""

"""Source files -> those past the sizes the house aims for. Reports; never fails."""

import ast
from pathlib import Path

MODULE_LINES, FUNCTION_LINES = 400, 60


def main() -> None:
    for file in sorted(Path("src").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if (lines := text.count("\n")) > MODULE_LINES:
            print(f"{file}: {lines} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > FUNCTION_LINES:
                    print(f"{file}:{node.lineno}: {node.name} has {length} lines")


if __name__ == "__main__":
    main()

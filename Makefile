# The course's commands. Written for GNU Make 3.81 and later, since macOS ships 3.81.

PYTHON ?= python3
TORCH := 2.13.0
PORT :=
CLASS :=
TORCH_INDEX ?=

PY := .venv/bin/python
READY := .venv/.ready
PIP := -m pip install --disable-pip-version-check

# Strict: every output that is not tagged otherwise must come out as stored. loadfile keeps a notebook on one worker,
# since its cells share a kernel. The time for one cell covers the first import of torch on a busy machine.
NBVAL := $(PY) -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 --nbval-kernel-startup-timeout=120 \
	-n auto --dist loadfile notebooks source
# Another machine, as far as one can be imitated here: the oldest instructions, one thread.
PLAIN_CPU := ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_ENABLE_INSTRUCTIONS=SSE4_2 \
	OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: help lab grade test bench drift lock moved

help:  ## List the commands
	@echo "The PyTorch function transforms course. The first command sets up .venv, which takes some minutes."
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "Options: PYTHON=/path/to/python3.12   TORCH_INDEX=https://download.pytorch.org/whl/cpu (a smaller torch)"

lab: $(READY)  ## Open the course in JupyterLab (PORT=8890 for another port)
	@$(PY) -m autograder lab $(if $(PORT),--port $(PORT))

grade: $(READY)  ## Grade the class in submitted/; if there is none, a sample class (CLASS=folder for another)
	$(PY) -m autograder release
ifneq ($(CLASS),)
	$(PY) -m autograder grade --class "$(CLASS)"
else ifneq ($(wildcard submitted),)
	$(PY) -m autograder grade
else
	$(PY) -m autograder sample-class
	$(PY) -m autograder grade --class sample_class
endif

# Threads of one process do not spin while they wait for each other: another process has work for the core.
test: export OMP_WAIT_POLICY := PASSIVE
test: $(READY)  ## Check everything: style, the tests, every stored output
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pytest -n auto --dist loadfile
	$(NBVAL)
	$(PLAIN_CPU) $(NBVAL)

bench: $(READY)  ## Measure grading against stock nbgrader, in turn
	$(PY) tests/bench.py

drift: $(READY)  ## Report which outputs another torch changes (TORCH=2.13.0)
	$(PY) tests/drift.py --torch $(TORCH)

lock:  ## Write constraints.txt anew, after a change of requirements.txt
	$(PY) $(PIP) -r requirements.txt
	@sed '/^[^#]/,$$d' constraints.txt > constraints.new
	@# torch itself names the exact CUDA packages that it needs, and the CPU build needs none: leave them out.
	@$(PY) -m pip freeze --all --exclude-editable --disable-pip-version-check | sed -E 's/\+[a-z0-9.]+$$//' \
		| grep -viE '^(pip|nvidia-.*|cuda-.*|triton)==' | LC_ALL=C sort -f >> constraints.new
	@mv constraints.new constraints.txt

# A folder that was moved: the environment still points to the old place.
ifneq ($(wildcard $(READY)),)
ifneq ($(shell cat $(READY)),$(CURDIR))
$(READY): moved
endif
endif

# The stamp is written last, so an interrupted set-up is taken up again by the next command. pip fetches and installs
# only what is missing.
$(READY): requirements.txt constraints.txt pyproject.toml
	@if $(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip; exit; \
	fi; \
	found=; \
	for python in "$(PYTHON)" python3.14 python3.13 python3.12 python3.11; do \
		version=$$("$$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
		case $$version in \
			3.[0-9].*|3.10.*|2.*) found="$$found, $$python is $$version"; continue ;; \
		esac; \
		if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
			echo "$$python ($$version) cannot make a virtual environment, its venv module is missing:" \
				"install it (on Debian and Ubuntu: apt install python3-venv), then run make again." >&2; \
			exit 1; \
		fi; \
		echo "Setting up .venv with $$python ($$version). The first time this takes some minutes and a few GB."; \
		exec "$$python" -m venv --clear .venv; \
	done; \
	found=$${found#, }; \
	echo "The course needs Python 3.11 or newer, found: $${found:-no $(PYTHON)}." \
		"Install one, or name one that you have: make lab PYTHON=/path/to/python3.12" >&2; \
	exit 1
ifneq ($(TORCH_INDEX),)
	$(PY) $(PIP) --no-deps --index-url $(TORCH_INDEX) $$(grep '^torch==' requirements.txt)
endif
	$(PY) $(PIP) -c constraints.txt -r requirements.txt
	@echo '$(CURDIR)' > $@

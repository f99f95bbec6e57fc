"""The form of a button that sends nothing else."""

from django import forms


class NothingForm(forms.Form):
    """A button alone."""

"""Auditing: claims checked, attacks run, utility measured, the policy judged."""

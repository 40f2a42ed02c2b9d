"""Helpers of `overlap-transfers`: which copies become transfers, and where these end."""

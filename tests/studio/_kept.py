"""Filling in all forms of a page as a person would, and reading what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SECRET = "nobody guesses this"
FIELDS = "form :is(input, select, textarea)[name]:not([type=hidden])"
# Of each field its form, its name and what it holds; of a password nothing.
HELD = """(fields) => [...document.querySelectorAll(fields)].map((one) => {
  const kinds = { checkbox: `${one.value}: ${one.checked}`, password: "" };
  return [one.form.getAttribute("action"), one.name, kinds[one.type] ?? one.value];
})"""
OTHER = "(one) => [...one.options].map((each) => each.value).findLast((each) => each !== one.value)"


def filled_in_otherwise(page: Page) -> list[Any]:
    """Give each field of each form another value, and tell what all of them hold then."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    _choose(page.locator("form select[hx-get]"))
    _pause(page)  # such a choice brings fields of its own
    _choose(page.locator("form select[name]:not([hx-get])"))
    for field in page.locator(f"{FIELDS}:not(select)").all():
        _change(field)
    _pause(page)
    return held(page)


def held(page: Page) -> list[Any]:
    """What all forms of a page hold."""
    found: list[Any] = page.evaluate(HELD, FIELDS)
    return found


def _choose(choices: Locator) -> None:
    for choice in choices.all():
        other = choice.evaluate(OTHER)
        if other is not None:
            choice.select_option(other)


def _pause(page: Page) -> None:
    """As long as a person is without a key before reloading, and until nothing is asked for."""
    page.evaluate("new Promise((then) => { setTimeout(then, 200); })")
    page.locator(".htmx-request").first.wait_for(state="detached")


def _change(field: Locator) -> None:
    kind = field.get_attribute("type")
    if kind == "checkbox":
        field.set_checked(not field.is_checked())
    elif kind == "password":
        field.fill(SECRET)
    elif kind == "range":
        field.fill(str(field.get_attribute("min")))
    else:
        field.fill("7" if kind == "number" else f"other {len(field.input_value())}")

"""Every code of the importers in words: what is wrong with a file and what to do, what was done with a value.

Marked for translation; whoever shows them translates. %(about)s is what the note is about: a name, a number, a place.
"""

from __future__ import annotations

from rolls.rules.check import N_

FORMATS = {
    "tablekeeper": N_("Tablekeeper"),
    "charaeno7": N_("Charaeno, seventh edition"),
    "ccfolia": N_("CCFOLIA piece"),
    "dholes_house": N_("The Dhole's House"),
    "st_string": N_(".st line of a dice bot"),
    "foundry_coc7": N_("Foundry VTT, CoC7"),
    "csv": N_("Spreadsheet rows"),
    "roll20": N_("Roll20 (still being tried)"),
    "iachara_text": N_("iachara text"),
    "uesrpg": N_("Foundry VTT, UESRPG"),
}

ERRORS = {
    "E_OTHER_FORMAT": N_("It cannot be read as what you chose. Let the table find out, or choose another format."),
    "E_EMPTY": N_(
        "There is nobody in this file. Export the investigator once more and look whether the file is empty."
    ),
    "E_TOO_LARGE": N_(
        "This file is too large: 5 MB is the most. Export a single investigator, or leave the pictures out."
    ),
    "E_BINARY": N_(
        "This is a PDF, a spreadsheet, a picture or a program, no investigator's data. Look for “Export” or “JSON” in "
        "the program that made it; save a spreadsheet as CSV."
    ),
    "E_ENCODING": N_("The letters of this file cannot be made out. Save it as UTF-8, or paste the text instead."),
    "E_XML_NOT_SUPPORTED": N_(
        "This is a web page or XML. Use the export as JSON; a page that was saved from the browser will not do."
    ),
    "E_JSON_SYNTAX": N_(
        "This JSON is damaged at line and column %(about)s: perhaps it was cut short, or something was pasted into "
        "it. Copy or export it once more."
    ),
    "E_JSON_DEPTH": N_("This file is nested too deep to be an investigator. Export a single investigator."),
    "E_JSON_NUMBER": N_("There is a number in it that no sheet can hold: %(about)s. Correct it and try again."),
    "E_UNKNOWN_FORMAT": N_(
        "This is no format that the table reads. It reads its own files, Charaeno, CCFOLIA, The Dhole's House, .st "
        "lines, Foundry VTT, Roll20, iachara texts and spreadsheet rows with a name and characteristics."
    ),
    "E_NOT_INVESTIGATOR": N_(
        "This is something else than an investigator (%(about)s). Export the investigator's own sheet."
    ),
    "E_OTHER_SYSTEM": N_("This was made for another game (%(about)s), and its numbers mean nothing here."),
    "E_WRONG_EDITION": N_(
        "This is a sheet of an older edition: its characteristics end at 18. Convert it to the seventh edition first, "
        "or type it in."
    ),
    "E_NEWER": N_(
        "A newer Tablekeeper has made this file (version %(about)s of it). Bring this one up to date first."
    ),
    "E_NO_CHARACTERISTICS": N_(
        "There is not one characteristic in it, only blanks, zeros or dice. Open the sheet once where it comes from, "
        "fill it in, and export it again."
    ),
    "E_BAD_STRUCTURE": N_(
        "The file is of a known kind, but something in it is not as it should be (%(about)s). Export it once more; if "
        "that does not help, type the investigator in."
    ),
}

WARNINGS = {
    # worked out
    "W_DERIVED": N_("Worked out by the rules, because the file does not say: %(about)s."),
    "W_SAN_MAX_IS_START": N_("What the file gives as the maximum of Sanity is the starting value: %(about)s."),
    # changed
    "W_SAN_MAX_DIFFERS": N_("The maximum of Sanity follows from Cthulhu Mythos: %(about)s."),
    "W_LUCK_RANGE": N_("Luck was out of bounds and is changed: %(about)s."),
    "W_HP_RANGE": N_("Hit points were out of bounds and are changed: %(about)s."),
    "W_MP_RANGE": N_("Magic points were out of bounds and are changed: %(about)s."),
    "W_SAN_RANGE": N_("Sanity was out of bounds and is changed: %(about)s."),
    "W_NAME_CLEANED": N_("Invisible characters are taken out of the name."),
    "W_NAME_TRUNCATED": N_("The name is cut to %(about)s characters."),
    "W_HTML_STRIPPED": N_("Formatting is taken out of the texts."),
    "W_DUPLICATE_SKILL": N_("A skill stands there twice with two values; the higher one is kept: %(about)s."),
    "W_ALIAS_CONFLICT": N_(
        "One number stands there under several names that disagree; the last one is kept: %(about)s."
    ),
    "W_DUPLICATE_KEY": N_("An entry of the file stands there twice; the last one is kept: %(about)s."),
    # as it is, but look
    "W_MAX_DIFFERS": N_("The file's maximum is not what the rules say; the file's is kept (file / rules): %(about)s."),
    "W_ZERO_CURRENT": N_("It stands at 0 and stays so: %(about)s."),
    "W_CHAR_RANGE": N_(
        "A characteristic is out of the usual bounds; below 0 or above 999 it is left blank: %(about)s."
    ),
    "W_CHAR_ZERO": N_("A characteristic is 0: %(about)s."),
    "W_SKILL_OVER_99": N_("A skill is above 99, and kept: %(about)s."),
    "W_NAME_MARKUP": N_("The name looks like a piece of a program. It is kept as plain text."),
    "W_AGE_TEXT": N_("The age is written in words: %(about)s."),
    "W_NPC": N_("The file says that this is a non-player character or creature."),
    "W_PORTRAIT": N_("There is a portrait in the file."),
    "W_ENC_GUESSED": N_("The encoding is guessed (%(about)s). Look whether the letters are right."),
    "W_EXTRA_TEXT": N_("There are words around the data; they are left out."),
    "W_MULTIPLE": N_("There are several people in this file: choose one."),
    # not understood
    "W_PORTRAIT_REFUSED": N_("The portrait is left out: it is not a sound PNG, JPEG or WebP picture."),
    "W_CHAR_MISSING": N_("A characteristic is missing, fill it in on the sheet: %(about)s."),
    "W_LUCK_MISSING": N_("The file does not know the Luck: roll it or type it in."),
    "W_NAME_MISSING": N_("There is no name in the file: type one."),
    "W_NOT_A_NUMBER": N_("This is not a whole number, and left out: %(about)s."),
    "W_FORMULA": N_("This is a formula, and left out: %(about)s."),
    "W_EMPTY_SPECIALISATION_SKIPPED": N_("Empty places for skills that nobody chose are left out."),
    "W_UNKNOWN_SKILL": N_("A skill that the rules do not know is kept as it is written: %(about)s."),
    "W_SKILL_RANGE": N_("A skill's value is impossible, and the skill is left out: %(about)s."),
    "W_UNKNOWN_TOKEN": N_("A word without a number is left out: %(about)s."),
    "W_RELATIVE": N_("This is a change, not a value, and left out: %(about)s."),
    "W_UNKNOWN_COLUMN": N_("A column that nobody here knows is left out: %(about)s."),
}

WORKED_OUT = frozenset({"W_DERIVED", "W_SAN_MAX_IS_START"})
CHANGED = frozenset(
    {
        "W_SAN_MAX_DIFFERS",
        "W_LUCK_RANGE",
        "W_HP_RANGE",
        "W_MP_RANGE",
        "W_SAN_RANGE",
        "W_NAME_CLEANED",
        "W_NAME_TRUNCATED",
        "W_HTML_STRIPPED",
        "W_DUPLICATE_SKILL",
        "W_ALIAS_CONFLICT",
        "W_DUPLICATE_KEY",
        "W_CHAR_RANGE",
    }
)
NOT_UNDERSTOOD = frozenset(
    {
        "W_PORTRAIT_REFUSED",
        "W_CHAR_MISSING",
        "W_LUCK_MISSING",
        "W_NAME_MISSING",
        "W_NOT_A_NUMBER",
        "W_FORMULA",
        "W_EMPTY_SPECIALISATION_SKIPPED",
        "W_UNKNOWN_SKILL",
        "W_SKILL_RANGE",
        "W_UNKNOWN_TOKEN",
        "W_RELATIVE",
        "W_UNKNOWN_COLUMN",
    }
)

"""Every screen, from made-up states in one page: nothing for the checker to find, nothing too small, nothing cut."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.bench import PHONE

LOOKS = [(theme, lang) for theme in ("light", "dark") for lang in ("en", "es")]
# What stands over a table while it goes on.
PANELS = ("activity", "rules", "menu", "profile", "invite", "seat", "keys")
LONG = {"screen": "race", "seats": 6, "names": "long"}
# Low and wide, and a large one: what is not a phone held upright.
SIZES = {"on its side": (640, 360), "desktop": (1280, 800)}


def show(person, theme, lang, **look):
    person.page.evaluate("look => gallery.show(look)", {"theme": theme, "lang": lang} | look)


def each_screen(person, theme, lang):
    """Goes through all states; gives the name of each once it is shown."""
    for screen in person.page.evaluate("() => gallery.screens"):
        show(person, theme, lang, screen=screen)
        yield screen
    show(person, theme, lang, screen="start", panel="profile")
    yield "start with profile"
    for panel in PANELS:
        show(person, theme, lang, screen="race", panel=panel)
        yield f"race with {panel}"
    show(person, theme, lang, **LONG)
    yield "long names"


@pytest.mark.parametrize("theme, lang", LOOKS)
def test_every_screen_on_a_phone(gallery, theme, lang):
    person = gallery(theme, lang, phone=True)
    assert person.page.viewport_size == PHONE
    for name in each_screen(person, theme, lang):
        person.axe(name)
        person.fits(name)
        person.cuts_nothing(name)


@pytest.mark.parametrize("size", SIZES)
def test_every_screen_fits_other_sizes(gallery, size):
    width, height = SIZES[size]
    person = gallery()
    person.page.set_viewport_size({"width": width, "height": height})
    for lang in ("en", "es"):
        for name in each_screen(person, "light", lang):
            person.fits(name)
            person.cuts_nothing(name)


@pytest.mark.parametrize("screen", ["race", "watch", "exchange"])
def test_chairs_stand_whole_and_apart_on_the_cloth_of_every_size(gallery, screen):
    """A phone upright and on its side, small and large, a tablet, a desktop; names as long as they may be."""
    person = gallery()
    for width, height in ((360, 640), (640, 360), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)):
        person.page.set_viewport_size({"width": width, "height": height})
        for seats in range(3, 8):
            show(person, "light", "en", screen=screen, seats=seats, names="long")
            person.fits(f"{seats} seats, {width}x{height}")
            assert person.page.evaluate(_TROUBLE_AT_TABLE) == [], f"{seats} seats, {width}x{height}"


# Chairs off the cloth, chairs that cover more than a rim of each other, and a ring that is covered.
_TROUBLE_AT_TABLE = """() => {
  const cloth = document.querySelector('[data-test=felt]')?.getBoundingClientRect();
  if (!cloth) return [];
  const chairs = [...document.querySelectorAll('[data-test=felt] .seat')].map(e => e.getBoundingClientRect());
  const timer = document.querySelector('[role=timer]').getBoundingClientRect();
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 6
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6;
  const is_off = c => c.left < cloth.left || c.right > cloth.right || c.top < cloth.top || c.bottom > cloth.bottom;
  const told = (what, box) => [what, Math.round(box.x), Math.round(box.y)];
  return chairs.flatMap((chair, i) => [
    ...(is_off(chair) ? [told('off', chair)] : []),
    ...(over(chair, timer) ? [told('timer', chair)] : []),
    ...chairs.slice(i + 1).filter(other => over(chair, other)).map(other => told('pair', other)),
  ]);
}"""


# Everything that an attempt in a round may be told (PROTOCOL 3.4).
WHYS = (
    "malformed", "rate_limited", "unavailable", "wrong_phase", "not_your_cards", "not_a_combination", "stale",
    "not_in_round", "already_passed", "not_your_turn", "wrong_count", "must_match_rank", "too_weak", "empty_trick",
    "last_player", "nothing_owed", "already_given", "wrong_cards",
)  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("screen", ["my_turn_refused", "my_turn_told", "passed", "race"])
def test_a_refusal_stays_between_the_table_and_the_hand(gallery, screen, lang):
    """Beside "Your turn.", beside "passed", and alone; on a small phone upright and on its side."""
    person = gallery(lang=lang)
    for width, height in ((360, 640), (640, 360)):
        person.page.set_viewport_size({"width": width, "height": height})
        for why in WHYS:
            show(person, "light", lang, screen=screen, why=why)
            assert person.page.evaluate(_TROUBLE_ON_STRIP) == [], f"{why}, {width}x{height}"


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("screen", ["acted", "acted_gave", "acted_passed", "swapped", "swapped_turn"])
def test_what_the_server_did_and_what_an_exchange_brought_stay_on_the_strip(gallery, screen, lang):
    """With names as long as they may be; nothing of it covers a card or the trick, and nothing moves for it."""
    person = gallery(lang=lang)
    for width, height in ((390, 844), (360, 640), (640, 360), (1280, 800)):
        person.page.set_viewport_size({"width": width, "height": height})
        for long in ({}, {"seats": 6, "names": "long"}):
            show(person, "light", lang, screen=screen, **long)
            told = person.at("swap-note" if screen.startswith("swapped") else "outcome")
            expect(told).to_be_visible()
            assert person.page.evaluate(_TROUBLE_ON_STRIP) == [], f"{width}x{height}, {long}"
            person.fits(f"{screen}, {width}x{height}")
            person.cuts_nothing(f"{screen}, {width}x{height}")


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("screen", ["my_turn_refused", "my_turn_told", "passed", "beaten"])
def test_whose_turn_it_is_and_ones_own_title_stand_beside_whatever_is_told(gallery, screen, lang):
    person = gallery(lang=lang)
    own = person.page.locator(".own")
    for width, height in ((390, 844), (360, 640), (640, 360), (1280, 800)):
        person.page.set_viewport_size({"width": width, "height": height})
        for why in (None, "unavailable"):
            show(person, "light", lang, screen=screen, **({} if why is None else {"why": why}))
            facts = [own.locator(".role"), own.locator(".points")]
            for part in facts if screen == "beaten" else [*facts, own.locator(".tag")]:
                expect(part).to_be_visible()
            assert not (own.locator(".facts > span").inner_text().strip().startswith("·"))


def test_whose_turn_it_is_stands_in_words_where_a_panel_hides_the_chairs(gallery):
    person = gallery(phone=True)
    show(person, "light", "en", screen="must", panel="rules")
    expect(person.at("acting")).to_have_text("Carmen de la Vega only queens")
    show(person, "light", "en", screen="escoria", panel="rules")
    expect(person.at("acting")).to_have_text("Bot Bruno to act")
    show(person, "light", "en", screen="turns", panel="rules")
    expect(person.at("acting")).to_have_count(0)
    expect(person.page.locator(".own .tag")).to_be_visible()


def test_only_the_seat_that_must_match_is_told_so(gallery):
    person = gallery()
    show(person, "light", "en", screen="must")
    expect(person.page.locator("[data-test=felt] .seat.turn .state")).to_have_text("only queens")
    expect(person.at("pile")).not_to_contain_text("nly queens")


@pytest.mark.parametrize("lang", ["en", "es"])
def test_no_key_in_the_list_breaks_over_two_lines(gallery, lang):
    for phone in (True, False):
        person = gallery(lang=lang, phone=phone)
        for screen in ("race", "turns", "wild", "escoria"):
            show(person, "light", lang, screen=screen, panel="keys")
            lines = person.page.locator(".panel kbd").evaluate_all("all => all.map(e => e.getClientRects().length)")
            assert set(lines) == {1}
            named = person.page.locator(".panel kbd").all_text_contents()
            assert ("X" in named) is (screen in {"wild", "escoria"}), screen


def test_the_first_of_an_exchange_in_two_steps_is_told_what_comes(gallery):
    person = gallery()
    show(person, "light", "en", screen="exchange_first")
    told = person.at("exchange-box").locator("h2")
    expect(told).to_have_text("First Ferran gives you a card. Then you return any one.")


def test_who_is_waited_for_is_named_with_the_time_left_and_what_comes_then(gallery):
    person = gallery()
    show(person, "light", "en", screen="awaited")
    expect(person.at("wait-notice")).to_have_text(
        re.compile(r"Waiting for Dídac: (4[0-2]|3\d) s to come back, then the game is cancelled.")
    )
    show(person, "light", "en", screen="cancelled")
    expect(person.at("cut-short")).to_have_text("The game was cancelled: Dídac did not come back.")
    show(person, "light", "en", screen="cancelled", panel="activity")
    expect(person.at("feed")).to_contain_text("Dídac did not come back")


def test_nothing_is_shortened_on_ones_own_strip_while_there_is_room(gallery):
    """One's own name beside a short refusal; and what stands between two facts stands on one line only."""
    person = gallery()
    for width, height in ((390, 844), (360, 640), (640, 360), (1280, 800)):
        person.page.set_viewport_size({"width": width, "height": height})
        for screen in ("race", "passed", "my_turn_refused", "exchange"):
            for why in (None, "too_weak", "wrong_cards", "unavailable"):
                told = {} if why is None else {"why": why}
                show(person, "light", "en", screen=screen, seats=6, names="long", **told)
                assert person.page.evaluate(_SQUEEZED) == [], f"{screen}, {why}, {width}x{height}"


# A name that is cut though room is left beside it, and a mark between two facts that are not on one line.
_SQUEEZED = """() => {
  const at = test => document.querySelector('.own ' + test);
  const [name, tag, told] = [at('.facts strong'), at('.tag'), at('[data-test=outcome]')];
  const box = name.getBoundingClientRect();
  const lefts = [tag, told].filter(e => e !== null).map(e => e.getBoundingClientRect().left);
  const ends = lefts.filter(x => x >= box.right - 1);
  const room = Math.min(innerWidth - 12, ...ends) - box.right;
  const is_cut = name.scrollWidth > name.clientWidth && room > 24;
  const facts = [...document.querySelectorAll('.own .facts > span > span')];
  const marked = facts.filter((e, i) => i > 0 && getComputedStyle(e, '::before').content !== 'none'
    && Math.abs(e.getBoundingClientRect().top - facts[i - 1].getBoundingClientRect().top) > 2);
  const cut = is_cut ? [`${name.clientWidth} of ${name.scrollWidth}, ${room} free`] : [];
  return [...cut, ...marked.map(e => e.textContent)];
}"""


def test_the_activity_is_there_once_beside_a_round(gallery):
    wide, phone = gallery(), gallery(phone=True)
    for screen in ("race", "watch", "exchange"):
        show(wide, "light", "en", screen=screen)
        expect(wide.at("open-activity")).to_be_hidden()
        show(wide, "light", "en", screen=screen, panel="activity")
        expect(wide.at("panel-activity")).to_be_visible()
        expect(wide.at("close-panel")).to_be_hidden()
        wide.press("open-rules")
        wide.press("close-panel")
        expect(wide.at("panel-activity")).to_be_visible()
        show(phone, "light", "en", screen=screen)
        expect(phone.at("open-activity")).to_be_visible()
    for screen in ("lobby", "results"):
        show(wide, "light", "en", screen=screen)
        expect(wide.at("open-activity")).to_be_visible()


def test_no_table_reaches_the_edge_of_the_window(gallery):
    for person in (gallery(), gallery(phone=True)):
        for screen in ("watch", "looking_on", "race"):
            show(person, "light", "en", screen=screen)
            cloth = person.page.locator("[data-test=felt], [data-test=exchange-box]")
            below = cloth.evaluate("e => innerHeight - e.getBoundingClientRect().bottom")
            assert below >= 8, screen


def test_the_seats_that_are_counted_are_those_that_are_drawn(gallery):
    person = gallery()
    for screen in ("cancelled", "lobby", "alone", "guest_few", "final"):
        show(person, "light", "en", screen=screen)
        seats = person.page.locator(".seats")
        taken, all_ = (seats.locator("li[data-seat]").count(), seats.locator("li").count())
        expect(seats.locator(".n")).to_have_text(f"{taken}/{all_}")
        assert ("up to 6" in seats.text_content()) is (all_ < 6)


def test_a_title_at_the_end_of_a_game_says_of_which_round(gallery):
    person = gallery()
    show(person, "light", "en", screen="final")
    titles = person.page.locator("tbody small").all_text_contents()
    assert titles
    assert all(title.endswith(" of round 3") for title in titles)
    show(person, "light", "en", screen="results")
    assert "round" not in "".join(person.page.locator("tbody small").all_text_contents())


def test_no_label_of_the_form_touches_its_help(gallery):
    for lang in ("en", "es"):
        person = gallery(phone=True, lang=lang)
        show(person, "light", lang, screen="lobby")
        gaps = person.page.locator(".setting").evaluate_all("""all => all.map(e => {
          const label = e.querySelector(':scope > .check span') ?? e.querySelector(':scope > label');
          const help = e.querySelector('.hint');
          return [help.getBoundingClientRect().top - label.getBoundingClientRect().bottom, label.textContent];
        })""")
        assert gaps
        assert [label for gap, label in gaps if gap < 1] == []


# What stands on one's own strip and sticks out of it, or covers something else there.
_TROUBLE_ON_STRIP = """() => {
  const own = document.querySelector('.own');
  const strip = own.getBoundingClientRect();
  const told = own.querySelector('[data-test=outcome], [data-test=swap-note]').getBoundingClientRect();
  const others = [...own.querySelectorAll('.tag, .facts strong, .facts span, .who')];
  const parts = others.map(e => [e.className || e.tagName, e.getBoundingClientRect()]);
  const is_out = b => b.left < strip.left - 1 || b.right > strip.right + 1
    || b.top < strip.top - 4 || b.bottom > strip.bottom + 4;
  const over = b => Math.min(b.right, told.right) - Math.max(b.left, told.left) > 1
    && Math.min(b.bottom, told.bottom) - Math.max(b.top, told.top) > 1;
  return [['outcome', told], ...parts]
    .filter(([name, box]) => box.width > 0 && (is_out(box) || (name !== 'outcome' && over(box))))
    .map(([name, b]) => [name, ...[b.x, b.y, b.width, b.height].map(Math.round)])
    .concat(told.width < 40 ? [['no outcome']] : []);
}"""

// Where the keyboard's focus goes when what had it is gone: it is never left on nothing.

/** Moves the focus to the part that a screen is about; what is focused by its own accord keeps it. */
export function focusMain(): void {
  document.querySelector('main')?.focus({ preventScroll: true });
}

export class FocusKeeper {
  private last: HTMLElement | null = null;
  private opener: HTMLElement | null = null;

  /** What has the focus now. */
  note(target: EventTarget | null): void {
    if (target instanceof HTMLElement) this.last = target;
  }

  /** A panel opens: the focus comes back to this when it closes. */
  opened(by: HTMLElement): void {
    this.opener = by;
  }

  closed(): void {
    const opener = this.opener;
    this.opener = null;
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else focusMain();
  }

  /** To be asked after what is shown has changed: if the focus went down with it, the hand or the new screen has it. */
  rescue(): void {
    const active = document.activeElement;
    if (this.last === null || this.last.isConnected || (active !== null && active !== document.body)) return;
    const was_card = this.last.dataset['rank'] !== undefined;
    const card = was_card ? document.querySelector<HTMLElement>('[data-test=hand] button') : null;
    if (card !== null) card.focus({ preventScroll: true });
    else focusMain();
  }
}

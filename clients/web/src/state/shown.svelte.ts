// The state as components read it: each field a signal of its own, so that what has not changed asks nobody to look again.
import { INITIAL, type TableState } from './state';

export class Shown implements TableState {
  seq = $state.raw(INITIAL.seq);
  view = $state.raw(INITIAL.view);
  feed = $state.raw(INITIAL.feed);
  races = $state.raw(INITIAL.races);
  pending = $state.raw(INITIAL.pending);
  outcome = $state.raw(INITIAL.outcome);
  selected = $state.raw(INITIAL.selected);
  swap = $state.raw(INITIAL.swap);
  closed = $state.raw(INITIAL.closed);
  skipped = $state.raw(INITIAL.skipped);
  spectators = $state.raw(INITIAL.spectators);
  reactions = $state.raw(INITIAL.reactions);
  settings_errors = $state.raw(INITIAL.settings_errors);
  broken = $state.raw(INITIAL.broken);

  show(state: TableState): void {
    Object.assign(this, state);
  }
}

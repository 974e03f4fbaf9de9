// Cards that travel, within what the device can draw: smoothly where a frame is cheap, by a stop on the way where it is
// dear. A page that draws without a pause shows the next play later: by half a frame, and by what each frame costs.

const SMOOTH_MS = 190;
const STOP_MS = 70;
/** From the frame's callback to the task behind it, in milliseconds: above this a frame is dear. */
const DEAR_MS = 5;
/** Of the cost known so far, what a new frame counts for. */
const WEIGHT = 0.2;

let cost_ms = 0;

/** A frame with news was drawn, in so many milliseconds. */
export function noteFrame(spent_ms: number): void {
  cost_ms += WEIGHT * (spent_ms - cost_ms);
}

/** Whether movement without a pause would cost the race its frames. */
export const isDear = (): boolean => cost_ms > DEAR_MS;

/** From there to where the node lies; pixels from its middle. Not at all where movement is reduced. */
export function travel(node: HTMLElement, from: { x: number; y: number }): void {
  if (document.documentElement.dataset['motion'] === 'less') return;
  if (isDear()) return stop(node, from);
  node.animate(
    [{ transform: `translate(${from.x}px, ${from.y}px) scale(0.6)`, opacity: 0.4 }, { transform: 'none', opacity: 1 }],
    { duration: SMOOTH_MS, easing: 'cubic-bezier(0.2, 0.8, 0.3, 1)' },
  );
}

function stop(node: HTMLElement, { x, y }: { x: number; y: number }): void {
  node.style.transform = `translate(${x * 0.4}px, ${y * 0.4}px)`;
  setTimeout(() => (node.style.transform = ''), STOP_MS);
}

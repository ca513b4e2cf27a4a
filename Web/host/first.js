// ---- The first frame. The build makes the other chapters one function, `host`, in front of this one:
// they run when the frame is on the screen.

/** Runs the host when the frame after the first one is due. A page that nobody sees has no frames. */
function afterFirstFrame() {
  let hasBegun = false;
  const once = () => {
    if (hasBegun) return;
    hasBegun = true;
    host();
  };
  requestAnimationFrame(() => requestAnimationFrame(once));
  setTimeout(once, document.visibilityState === "visible" ? 500 : 0);
}
if (typeof document === "object") afterFirstFrame();
else host();

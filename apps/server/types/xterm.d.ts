/**
 * The addons of xterm.js name the types of its browser package, whose declarations bring in the
 * browser's globals. Those of the package without a screen are the same.
 */
export type { IBufferRange, IMarker, ITerminalAddon, Terminal } from '@xterm/headless'

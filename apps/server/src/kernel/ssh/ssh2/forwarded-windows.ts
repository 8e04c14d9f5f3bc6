import type { Patch } from './patch.ts'

/** Bytes that the other side of a forwarded connection may send before they are read. */
const WINDOW = 256 * 1024

/**
 * ssh2 gives every channel a window of two megabytes and keeps as many for a reader that is slow: of
 * forwarded connections there are far more than of programs. Their windows are smaller here: those
 * that a client opens, and those that are opened by `inSmallWindow`.
 */
export const forwardedWindows: Patch = [
  {
    file: 'Channel.js',
    was: `      highWaterMark: MAX_WINDOW,
      allowHalfOpen`,
    is: `      highWaterMark: info.incoming.window || MAX_WINDOW,
      allowHalfOpen`,
  },
  {
    file: 'Channel.js',
    was: `    this.incoming = info.incoming;
`,
    is: `    this.incoming = info.incoming;
    this._mostWindow = info.incoming.window;
`,
  },
  {
    file: 'Channel.js',
    was: '  const amt = MAX_WINDOW - self.incoming.window;',
    is: `  const most = self._mostWindow || MAX_WINDOW;
  if (self.incoming.window > most / 2)
    return;
  const amt = most - self.incoming.window;`,
  },
  {
    file: 'server.js',
    was: `              if (listenerCount(this, 'tcpip') && reserveChannel()) {
`,
    is: `              if (listenerCount(this, 'tcpip') && reserveChannel()) {
                const MAX_WINDOW = ${WINDOW};
`,
  },
  {
    file: 'server.js',
    was: `              if (listenerCount(this, 'openssh.streamlocal')
                  && reserveChannel()) {
`,
    is: `              if (listenerCount(this, 'openssh.streamlocal')
                  && reserveChannel()) {
                const MAX_WINDOW = ${WINDOW};
`,
  },
  {
    file: 'client.js',
    was: '  const initWindow = MAX_WINDOW;',
    is: '  const initWindow = (cb && cb.window) || MAX_WINDOW;',
  },
  {
    file: 'client.js',
    was: '  wrapper.type = type;',
    is: `  wrapper.type = type;
  wrapper.window = initWindow;`,
  },
  {
    file: 'client.js',
    was: `              id: info.recipient,
              window: MAX_WINDOW,`,
    is: `              id: info.recipient,
              window: channel.window || MAX_WINDOW,`,
  },
]

/** The channel that a client opens with this callback gets a small window. */
export const inSmallWindow = <Callback extends object>(opened: Callback): Callback =>
  Object.assign(opened, { window: WINDOW })

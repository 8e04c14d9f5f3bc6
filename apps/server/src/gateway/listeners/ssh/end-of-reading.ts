import type ssh2 from 'ssh2'

const END_OF_WRITE = 'eow@openssh.com'

/** What ssh2 keeps of a client and its channels. */
interface Internals {
  _protocol: {
    _handlers: { CHANNEL_REQUEST(protocol: unknown, recipient: number, type: string, ...more: unknown[]): void }
  }
  _chanMgr: { get(id: number): { _channel?: ssh2.ServerChannel } | undefined }
}

/**
 * A server whose name begins so is told by OpenSSH's clients when nobody reads their output any
 * more; no other is.
 */
export const IDENT = 'OpenSSH_Sallyport'

/**
 * Hears what ssh2 (1.17) passes over: that nobody reads the output of a channel any more (OpenSSH
 * PROTOCOL §2.1), as in `ssh machine yes | head -1`. See `onceUnread`.
 */
export function hearEndOfReading(client: ssh2.Connection): void {
  const { _protocol, _chanMgr } = client as unknown as Internals
  const handle = _protocol._handlers.CHANNEL_REQUEST
  _protocol._handlers.CHANNEL_REQUEST = (protocol, recipient, type, ...more) => {
    if (type === END_OF_WRITE) _chanMgr.get(recipient)?._channel?.emit(END_OF_WRITE)
    handle(protocol, recipient, type, ...more)
  }
}

/** Calls back when the client says that nobody reads the output of this channel any more. */
export function onceUnread(channel: ssh2.ServerChannel, then: () => void): void {
  channel.once(END_OF_WRITE, then)
}

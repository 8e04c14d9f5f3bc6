import type { Patch } from './patch.ts'

/**
 * For a channel that writes to both of its streams, ssh2 never forgets a piece that waited for the
 * client's window, and sends it again when the other stream waits; and it wakes only one of two
 * waiting streams.
 */
export const bothStreams: Patch = [
  {
    file: 'Channel.js',
    was: `  _write(data, encoding, cb) {
    const channel = this._channel;
`,
    is: `  _write(data, encoding, cb) {
    const channel = this._channel;
    channel._chunkErr = channel._chunkcbErr = undefined;
`,
  },
  {
    file: 'Channel.js',
    was: `  _write(data, encoding, cb) {
    const protocol = this._client._protocol;
`,
    is: `  _write(data, encoding, cb) {
    this._chunk = this._chunkcb = undefined;
    const protocol = this._client._protocol;
`,
  },
  {
    file: 'server.js',
    was: `            if (channel._chunk) {
              channel._write(channel._chunk, null, channel._chunkcb);
            } else if (channel._chunkcb) {
              channel._chunkcb();
            } else if (channel._chunkErr) {
              channel.stderr._write(channel._chunkErr,
                                    null,
                                    channel._chunkcbErr);
            } else if (channel._chunkcbErr) {
              channel._chunkcbErr();
            }
`,
    is: `            const { _chunk, _chunkcb, _chunkErr, _chunkcbErr } = channel;
            if (_chunk)
              channel._write(_chunk, null, _chunkcb);
            if (_chunkErr)
              channel.stderr._write(_chunkErr, null, _chunkcbErr);
`,
  },
]

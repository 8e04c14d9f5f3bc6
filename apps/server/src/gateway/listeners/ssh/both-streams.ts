import type ssh2 from 'ssh2'

/** What ssh2 keeps of a write that waits for the client's window. */
interface Waiting {
  _chunk: Buffer | undefined
  _chunkcb: Done | undefined
  _chunkErr: Buffer | undefined
  _chunkcbErr: Done | undefined
}
type Done = (error?: Error | null) => void
type Write = (bytes: Buffer, encoding: BufferEncoding, done: Done) => void

/**
 * Works around ssh2 (1.17) for channels that write to both of their streams: it never forgets a
 * piece that waited for the client's window, and sends it again when the other stream waits; and of
 * two waiting streams it wakes only one. Channels that use one stream are not affected.
 */
export function mendBothStreams(channel: ssh2.ServerChannel): void {
  const waiting = channel as unknown as Waiting
  const stderr = channel.stderr as unknown as { _write: Write }
  const stdout = channel as unknown as { _write: Write }
  const [writeStdout, writeStderr] = [stdout._write, stderr._write]
  stdout._write = (bytes, encoding, done) => {
    waiting._chunk = waiting._chunkcb = undefined
    writeStdout.call(channel, bytes, encoding, (error) => {
      done(error)
      const { _chunkErr: other, _chunkcbErr: otherDone } = waiting
      if (other && otherDone) stderr._write(other, encoding, otherDone)
    })
  }
  stderr._write = (bytes, encoding, done) => {
    waiting._chunkErr = waiting._chunkcbErr = undefined
    writeStderr.call(channel.stderr, bytes, encoding, done)
  }
}

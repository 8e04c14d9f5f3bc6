import type { Client } from 'ssh2'

/** More than any fact needs; a hostile machine must not fill our memory. */
const MAX_OUTPUT = 256 * 1024

/**
 * Runs a command and answers its standard output, whatever its exit code. Throws when it takes too
 * long or the connection breaks.
 */
export function runCommand(client: Client, command: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The command timed out')), timeoutMs)
    const finish = (error: Error | undefined, output = '') => {
      clearTimeout(timer)
      client.off('close', broken)
      if (error) reject(error)
      else resolve(output)
    }
    const broken = () => finish(new Error('The connection was closed'))
    client.once('close', broken)
    client.exec(command, (error, channel) => {
      if (error) return finish(error)
      const pieces: Buffer[] = []
      let size = 0
      channel.on('data', (data: Buffer) => {
        size += data.length
        if (size <= MAX_OUTPUT) pieces.push(data)
        else channel.close()
      })
      channel.stderr.resume()
      channel.on('close', () => finish(undefined, Buffer.concat(pieces).toString('utf8')))
    })
  })
}

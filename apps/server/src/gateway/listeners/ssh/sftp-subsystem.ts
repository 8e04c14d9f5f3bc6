import type ssh2 from 'ssh2'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { FileConnections } from '../../files/file-connections.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { GrantedTree } from '../../files/granted-tree.ts'
import { openMachineRoot } from '../../files/machine-root.ts'
import { PacketCutter, PacketSender } from '../../files/sftp/packets.ts'
import { PACKET, VERSION } from '../../files/sftp/sftp-wire.ts'
import type { MachineConnections } from '../../machines/machine-connections.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { RequestsUnderWay } from './requests-under-way.ts'
import { SftpOperations } from './sftp-operations.ts'

/** When more than this is waiting, nothing is read from the client. */
const MAX_WAITING_BYTES = 1024 * 1024
/** A waiting request costs more memory than its bytes. */
const REQUEST_COST = 256
/** Exit code of OpenSSH's own client when it could not connect. */
const COULD_NOT_CONNECT = 255

export interface SftpOptions {
  /**
   * A raw channel, from the session event `subsystem`, not `sftp`: ssh2's own SFTP server has no
   * back-pressure.
   */
  channel: ssh2.ServerChannel
  person: Person
  /** Everything that was granted, as a tree; or one machine's own file system. */
  root: 'granted' | { assetId: string; systemUserId: string }
  /** Machines where the same connection of the person is logged in. */
  machines?: MachineConnections
  /** Ends it; the person sees a reason that is a SessionRefusal. */
  signal: AbortSignal
}

/**
 * Serves SFTP version 3 on a channel until it ends, and settles once everything is logged. Never
 * throws.
 */
export async function serveSftp(
  kernel: Kernel,
  { channel, person, root, machines, signal }: SftpOptions,
): Promise<void> {
  const isTree = root === 'granted'
  const connections = new FileConnections(kernel, {
    person,
    view: isTree ? 'folder' : 'machine',
    showHidden: kernel.config.sftpShowHidden || !isTree,
    inBulk: true,
    machines,
  })
  channel.on('error', () => {})
  try {
    const gone = leaving(channel, signal)
    const opening = isTree
      ? new GrantedTree(kernel, person, connections)
      : openMachineRoot(connections, root.assetId, root.systemUserId)
    const files: FileRoot = await Promise.race([opening, gone])
    await serve(kernel, channel, person, files, gone)
    sendEnd(channel, 0)
  } catch (error) {
    if (error instanceof SessionRefusal)
      channel.stderr.write(`${translate(person.language, error.message, { ...error.values })}\n`)
    else kernel.app.log.info({ err: error }, 'sftp')
    sendEnd(channel, COULD_NOT_CONNECT)
  } finally {
    await connections.close()
  }
}

/** Rejects when the client or the signal ends it. */
function leaving(channel: ssh2.ServerChannel, signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new SessionRefusal('Cancelled'))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  channel.once('close', () => {
    signal.removeEventListener('abort', onAbort)
    reject(new SessionRefusal('Cancelled'))
  })
  promise.catch(() => {})
  return promise
}

function sendEnd(channel: ssh2.ServerChannel, code: number): void {
  if (channel.destroyed || !channel.writable) return
  channel.exit(code)
  channel.end()
  // Further input of the client is dropped, but must be read for its end to be seen.
  channel.removeAllListeners('data')
  channel.resume()
}

/**
 * Settles when the client has sent everything and was answered. Throws MalformedPacket, and what
 * `gone` throws.
 */
async function serve(
  kernel: Kernel,
  channel: ssh2.ServerChannel,
  person: Person,
  root: FileRoot,
  gone: Promise<never>,
): Promise<void> {
  const { promise: over, resolve: isOver, reject: broken } = Promise.withResolvers<void>()
  const sender = new PacketSender(channel)
  const cutter = new PacketCutter()
  const operations = new SftpOperations(kernel, person, root, (words) => void channel.stderr.write(`${words}\n`))
  const waiting: Buffer[] = []
  let waitingBytes = 0
  const underWay = new RequestsUnderWay()
  let hasEnded = false
  let greeted = false
  let isOverNow = false

  const onPacket = (packet: Buffer) => {
    if (greeted) {
      waiting.push(packet)
      waitingBytes += packet.length + REQUEST_COST
      return
    }
    if (packet[0] !== PACKET.INIT) throw new Error('not an SFTP client')
    greeted = true
    sender.send(PACKET.VERSION, [VERSION, ...operations.extensions()])
  }
  const work = () => {
    while (waiting[0] && !sender.full && underWay.mayBegin(waiting[0])) {
      const packet = waiting.shift() as Buffer
      waitingBytes -= packet.length + REQUEST_COST
      const isAnswered = underWay.begin(packet)
      const answered = operations.answer(packet).then(({ type, fields }) => {
        sender.send(type, fields, { soon: !underWay.mayWait(packet) })
        isAnswered()
        work()
      })
      answered.catch(broken)
    }
    if (isOverNow) return
    if (waitingBytes > MAX_WAITING_BYTES) channel.pause()
    else if (channel.isPaused()) channel.resume()
    if (hasEnded && !underWay.count && !waiting.length) isOver()
  }
  channel.on('data', (bytes: Buffer) => {
    try {
      cutter.push(bytes, onPacket)
      work()
    } catch (error) {
      broken(error)
    }
  })
  channel.on('drain', work)
  channel.once('end', () => {
    hasEnded = true
    work()
  })
  try {
    await Promise.race([over, gone])
    sender.flush()
  } finally {
    // Requests that still wait do not begin any more.
    isOverNow = true
    waiting.length = 0
    channel.pause()
    channel.removeAllListeners('data')
    await operations.close()
  }
}

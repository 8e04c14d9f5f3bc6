import { settingsOf } from '../../../domains/settings/index.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { Config } from '../../../kernel/config.ts'
import { MAX_PIXELS, Picture } from '../../kinds/desktop/picture/picture.ts'
import type { DesktopEnd } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { CLIPBOARD_CHANNEL } from '../../protocols/rdp/clipboard.ts'
import { type ClientWords, channelOf } from '../../protocols/rdp/serving/entrance.ts'
import { RdpClient, type RdpClientParts } from '../../protocols/rdp/serving/rdp-client.ts'
import type { NoticeCode } from '../../session/notice.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import { hangUp } from '../connections/hang-up.ts'
import { type StartedClient, startOf } from './rdp-start.ts'
import { type DesktopClient, serveDesktop } from './serve-desktop.ts'

/** A client that has not read so much yet gets nothing more. */
const MAX_UNREAD = 256 * 1024
/** Time in which a refused client must get to where it can see why, in milliseconds. */
const REFUSED_MS = 10_000
const MIN_SIDE = 200
const BLANK = { width: 640, height: 480 }

/** Why a client is sent away, as it says it itself (MS-RDPBCGR 2.2.5.1.1). */
const REASON = { terminated: 1, idle: 3, tooLong: 4, denied: 7, noRight: 9, ended: 12 } as const
const REASONS: Partial<Record<NoticeCode, number>> = {
  terminated: REASON.terminated,
  idle: REASON.idle,
  too_long: REASON.tooLong,
  permission: REASON.noRight,
  signed_out: REASON.noRight,
  shutdown: REASON.terminated,
  recording: REASON.terminated,
}

/** Clients of RDP, at any desktop, whatever it speaks itself. */
export function rdpProtocol({ rdpPort }: Config): ProtocolListener {
  return {
    name: 'RDP',
    port: rdpPort,
    // Before it is let in a client understands nothing that has words.
    refusal: () => Buffer.alloc(0),
    async serve({ socket: plain, encrypt, isReady, serving }) {
      if (!settingsOf(serving.kernel).get('XRDP_ENABLED'))
        throw new ProtocolViolation('clients of RDP are switched off')
      return serveDesktop(serving, rdpClient(await startOf(plain, encrypt, isReady)))
    },
  }
}

function rdpClient(started: StartedClient): DesktopClient {
  const { socket, username, password, name, knowsReasons, bitsPerPixel } = started
  const size = sizeOf(started)
  let client: RdpClient | undefined
  let reason: number = REASON.ended
  const parts = {
    bitsPerPixel,
    knowsReasons,
    clipboardChannel: channelOf(CLIPBOARD_CHANNEL, started),
    write: (bytes: Buffer) => void socket.write(bytes),
    hasRoom: () => socket.writableLength < MAX_UNREAD,
  }
  return {
    socket,
    name: loginName(username),
    password,
    program: `RDP client${name ? ` ${name}` : ''}`,
    ...(size ? { size } : {}),
    refused: () => turnAway(started, parts),
    owner: () => ({
      changed: () => client?.changed(),
      copied: (text) => client?.copied(text),
      bell() {},
      tell({ code, urgency }) {
        if (urgency === 'last') reason = REASONS[code] ?? REASON.ended
      },
      close() {
        client?.close(reason)
        hangUp(socket)
      },
    }),
    shows(live) {
      const shown = new RdpClient({
        ...parts,
        picture: live.picture,
        input: {
          key: (isDown, keysym) => live.key(isDown, keysym),
          pointer: (buttons, x, y) => live.pointer(buttons, x, y),
        },
        pasted: (text) => live.paste(text),
        leaves: () => inBackground(live.end('left')),
      })
      client = shown
      socket.on('drain', () => shown.changed())
      return (bytes) => shown.receive(bytes)
    },
  }
}

/** A client can see the reason only once it has a screen: it gets an empty one. Never throws. */
async function turnAway(
  { socket }: StartedClient,
  parts: Omit<RdpClientParts, 'picture' | 'input' | 'pasted' | 'leaves'>,
): Promise<void> {
  const { promise: over, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, REFUSED_MS)
  const client = new RdpClient({
    ...parts,
    clipboardChannel: undefined,
    picture: new Picture(BLANK.width, BLANK.height),
    input: { key() {}, pointer() {} },
    pasted() {},
    leaves: giveUp,
  })
  socket.once('close', giveUp)
  socket
    .on('data', (bytes: Buffer) => {
      try {
        client.receive(bytes)
      } catch {
        giveUp()
      }
    })
    .resume()
  await Promise.race([client.active, over])
  clearTimeout(timer)
  client.close(REASON.denied)
}

/**
 * `person|token`, as files for clients have it, is the token
 * (docs/rules/authentication.md#connection_token).
 */
const loginName = (username: string) => /\|([A-Za-z0-9]+)$/.exec(username)?.[1] ?? username

/** Size of the client's window, as targets take it. */
function sizeOf({ width, height }: ClientWords): DesktopEnd['size'] {
  const even = width & ~3
  return even >= MIN_SIDE && height >= MIN_SIDE && even * height <= MAX_PIXELS ? { width: even, height } : undefined
}

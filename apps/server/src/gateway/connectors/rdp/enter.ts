import type { Duplex } from 'node:stream'
import type { ScreenSize } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { CLIPBOARD_CHANNEL } from '../../protocols/rdp/clipboard.ts'
import { connectInitial, readConnectResponse } from '../../protocols/rdp/conference.ts'
import { DYNAMIC_CHANNELS } from '../../protocols/rdp/display-control.ts'
import { DRIVE_CHANNEL, SOUND_CHANNEL } from '../../protocols/rdp/drive/messages.ts'
import { mcsOf, nextMessage } from '../../protocols/rdp/framing.ts'
import {
  attachUser,
  erectDomain,
  joinChannel,
  readAttached,
  readIndication,
  readJoined,
  sendData,
} from '../../protocols/rdp/mcs.ts'
import { CONTROL, type Demand, readDemand, shareMessages, takeUp } from '../../protocols/rdp/share.ts'
import { type Account, clientInfo, noLicense, readLicense } from '../../protocols/rdp/sign-on.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** Messages that a server may send before there is a screen; more are no beginning. */
const MAX_MESSAGES = 200

/** A connection on which a server has offered a screen, and the gateway has taken it up. */
export interface Entered {
  user: number
  screenChannel: number
  /** Beside the screen's; undefined for one that the server does not have. */
  clipboardChannel: number | undefined
  dynamicChannel: number | undefined
  driveChannel: number | undefined
  demand: Demand
}

export interface EnterOptions {
  account: Account
  size: ScreenSize
  /** The server's choice to protect the connection. */
  selected: number
  isAdmin: boolean
  /** It may be offered a drive. */
  hasDrive?: boolean | undefined
  /** Program that runs instead of a whole desktop. */
  shell?: string | undefined
}

/** Signs on and takes up the screen (MS-RDPBCGR 1.3.1.1). Throws ProtocolViolation and SessionRefusal. */
export async function enter(
  stream: Duplex,
  { shell, account, size, selected, isAdmin, hasDrive }: EnterOptions,
): Promise<Entered> {
  const channels = [CLIPBOARD_CHANNEL, DYNAMIC_CHANNELS, ...(hasDrive ? [DRIVE_CHANNEL, SOUND_CHANNEL] : [])]
  stream.write(connectInitial({ ...size, selected, isAdmin, channels }))
  const { screen, others } = readConnectResponse(await nextMcs(stream))
  stream.write(erectDomain())
  stream.write(attachUser())
  const user = readAttached(await nextMcs(stream))
  const named = channels.map((_, n) => others[n] || undefined)
  const [clipboardChannel, dynamicChannel, driveChannel] = named
  for (const channel of [user, screen, ...named]) {
    if (channel === undefined) continue
    stream.write(joinChannel(user, channel))
    readJoined(await nextMcs(stream))
  }
  stream.write(sendData(user, screen, clientInfo(account, shell)))
  await demandLicense(stream, (message) => sendData(user, screen, message))
  const demand = await nextDemand(stream, screen)
  for (const message of takeUp(demand, user)) stream.write(sendData(user, screen, message))
  return { user, screenChannel: screen, clipboardChannel, dynamicChannel, driveChannel, demand }
}

async function demandLicense(stream: Duplex, framed: (message: Buffer) => Buffer): Promise<void> {
  let hasAnswered = false
  for (let n = 0; n < MAX_MESSAGES; n++) {
    const indication = await nextIndication(stream).catch((error: unknown) => {
      throw hasAnswered ? new SessionRefusal(WANTS_LICENSE) : error
    })
    const license = readLicense(indication.data)
    if (license === 'valid') return
    if (license === 'refused' || (license === 'wanted' && hasAnswered)) throw new SessionRefusal(WANTS_LICENSE)
    if (license !== 'wanted') continue
    hasAnswered = true
    stream.write(framed(noLicense()))
  }
  throw new ProtocolViolation('a server that says nothing of licenses')
}

const WANTS_LICENSE = 'This server counts licenses of remote desktops, which is not supported here'

async function nextDemand(stream: Duplex, screen: number): Promise<Demand> {
  for (let n = 0; n < MAX_MESSAGES; n++) {
    const { channel, data } = await nextIndication(stream)
    if (channel !== screen) continue
    for (const { type, body } of shareMessages(data)) {
      if (type === CONTROL.demandActive) return readDemand(body)
      if (type === CONTROL.redirection) throw redirected()
    }
  }
  throw new ProtocolViolation('a server that offers no screen')
}

export const redirected = () =>
  new SessionRefusal('This server sends its clients to another one, which is not supported here: name that one')

async function nextIndication(stream: Duplex) {
  const indication = readIndication(await nextMcs(stream))
  if (!indication) throw new SessionRefusal('The machine has ended the connection')
  return indication
}

async function nextMcs(stream: Duplex): Promise<Buffer> {
  const mcs = mcsOf(await nextMessage(stream))
  if (!mcs) throw new ProtocolViolation('an update before there is a screen')
  return mcs
}

import type { Socket } from 'node:net'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { mcsOf, nextMessage } from '../../protocols/rdp/framing.ts'
import { FAILURES, SECURITY } from '../../protocols/rdp/negotiation.ts'
import { attached, indication, joined, readChannelMessage } from '../../protocols/rdp/serving/channels.ts'
import {
  type ClientWords,
  confirmed,
  connectResponse,
  readInitial,
  readRequest,
  refused,
  SCREEN_CHANNEL,
} from '../../protocols/rdp/serving/entrance.ts'
import { licensed, readClientInfo } from '../../protocols/rdp/serving/sign-on.ts'
import type { Encrypt } from '../clients/encrypted.ts'

/** A client joins each of its channels and says who it is; more is no beginning. */
const MAX_MESSAGES = 64

/** A client that has said who it is; it waits for a screen. */
export interface StartedClient extends ClientWords {
  socket: Socket
  username: string
  password: string
}

/**
 * Lets a client in by TLS, and reads who it is (MS-RDPBCGR 1.3.1.1). NLA is not offered: the client
 * would prove its password and not give it, and here it has to be compared with what another system
 * knows. Throws ProtocolViolation, and what the stream throws.
 */
export async function startOf(plain: Socket, encrypt: Encrypt, isReady: () => void): Promise<StartedClient> {
  const asked = readRequest(await nextMessage(plain))
  if (!(asked & SECURITY.tls)) {
    plain.write(refused(FAILURES.tlsRequired))
    throw new ProtocolViolation('a client without TLS')
  }
  plain.write(confirmed(SECURITY.tls))
  const socket = await encrypt()
  const words = readInitial(await nextMcs(socket))
  isReady()
  socket.write(connectResponse(words, asked))
  for (let n = 0; n < MAX_MESSAGES; n++) {
    const message = readChannelMessage(await nextMcs(socket))
    if (message.is === 'attach') socket.write(attached())
    else if (message.is === 'join') socket.write(joined(message.channel))
    else if (message.is === 'disconnect') throw new ProtocolViolation('the client has left')
    else if (message.is === 'data' && message.channel === SCREEN_CHANNEL) {
      const account = readClientInfo(message.data)
      socket.write(indication(SCREEN_CHANNEL, licensed()))
      return { ...words, ...account, socket }
    }
  }
  throw new ProtocolViolation('a client that does not say who it is')
}

async function nextMcs(stream: Socket): Promise<Buffer> {
  const mcs = mcsOf(await nextMessage(stream))
  if (!mcs) throw new ProtocolViolation('an input before there is a screen')
  return mcs
}

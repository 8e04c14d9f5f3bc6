import { constants, createPrivateKey, generateKeyPair, privateDecrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { sealedBytes, sealInJson } from '../../kernel/secrets/sealed-json.ts'
import { sessionState, unfinishedSession } from './session.ts'

const makeKeyPair = promisify(generateKeyPair)
/**
 * 2048 bits: the contract's 1024 are too few today, and clients take whatever key the page gives
 * them.
 */
const TRANSPORT_KEY_BITS = 2048
/** A pair serves all sessions that begin within this time. */
const TRANSPORT_KEY_MS = 60_000

interface TransportKey {
  publicKey: string
  privateKey: string
}

/**
 * Gives an unfinished session the public key (PEM) that its page encrypts the password with; the
 * private key stays sealed in the session. A pair is made at most once a minute, since making one
 * is slow and anybody may ask.
 */
export function transportKeys(kernel: Kernel) {
  let current: Promise<TransportKey> | undefined
  let madeAt = 0
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    if (!current || Date.now() - madeAt > TRANSPORT_KEY_MS) {
      madeAt = Date.now()
      current = awaitedLater(makeTransportKey())
      current.catch(() => (current = undefined))
    }
    const { publicKey, privateKey } = await current
    await unfinishedSession(kernel, request, reply, { transport_key: sealInJson(kernel.secrets, privateKey) })
    return publicKey
  }
}

function makeTransportKey(): Promise<TransportKey> {
  return makeKeyPair('rsa', {
    modulusLength: TRANSPORT_KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/**
 * The password as typed: decrypted when this session has a key, else taken as it is; null when it
 * can't be decrypted.
 */
export async function readPassword(kernel: Kernel, request: FastifyRequest, password: string): Promise<string | null> {
  const { transport_key } = await sessionState(kernel, request)
  if (!transport_key) return password
  const key = createPrivateKey(kernel.secrets.open('sign_in', 'password on its way')(sealedBytes(transport_key)))
  const sealed = Buffer.from(password, 'base64')
  // A longer one was not encrypted with this key. Some pages leave out leading zeros.
  const missing = TRANSPORT_KEY_BITS / 8 - sealed.length
  if (missing < 0 || missing > 8) return null
  // The console encrypts with OAEP; existing clients support only PKCS#1 v1.5, which OpenSSL
  // answers with random bytes when the padding is wrong, so that it is no oracle.
  for (const padding of [
    { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    { padding: constants.RSA_PKCS1_PADDING },
  ]) {
    try {
      return privateDecrypt({ key, ...padding }, sealed).toString('utf8')
    } catch {
      // Try the next padding; after the last one the password is unreadable.
    }
  }
  return null
}

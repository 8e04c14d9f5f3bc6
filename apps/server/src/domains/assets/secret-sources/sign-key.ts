import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { readCertificate } from '../../../kernel/ssh/certificates/certificate.ts'
import { CERTIFICATE_TYPE } from '../../../kernel/ssh/certificates/user-certificate.ts'
import type { assetsSecretSource } from '../tables.ts'
import { type Answer, type Conversation, converse, SourceFailure } from './ask.ts'
import { inWords, opened } from './fetch-secret.ts'
import { pathInAddress } from './secret-path.ts'
import { check, type OpenedSource, own, withToken } from './stores.ts'

/** A key of a login, and the account that it is for. */
export interface KeyToSign {
  /** One line, `ssh-ed25519 AAAA…`: made for this login, its private half goes nowhere. */
  publicKey: string
  /** The one principal of the certificate. */
  username: string
  /** For how long it holds; the role may say less. */
  seconds: number
}

/** The engine of a store that signs keys for machines (Vault and OpenBao: SSH secrets engine). */
export interface Signer {
  engine: string
  role: string
}

/**
 * Has a store sign a key, and answers the certificate as machines read it (one line). Throws 400 in
 * words, also where the answer is no certificate of this key.
 */
export async function signKey(
  { targetAddresses }: Pick<Kernel, 'targetAddresses'>,
  source: typeof assetsSecretSource.$inferSelect,
  signer: Signer,
  key: KeyToSign,
  open: Opener,
): Promise<string> {
  if (source.kind !== 'vault') throw new AppError(400, 'bad_request', 'This kind of source signs no keys')
  const talk = converse(source, targetAddresses)
  try {
    return await ask(talk, opened(source, open), signer, key)
  } catch (error) {
    throw inWords(error, source, `${signer.engine}/sign/${signer.role}`)
  } finally {
    talk.close()
  }
}

function ask(talk: Conversation, source: OpenedSource, { engine, role }: Signer, key: KeyToSign): Promise<string> {
  return withToken(talk, source, async (headers) => {
    const { publicKey, username, seconds } = key
    const answer = await talk.ask(`v1/${pathInAddress(engine)}/sign/${pathInAddress(role)}`, {
      headers,
      json: { public_key: publicKey, valid_principals: username, cert_type: 'user', ttl: `${seconds}s` },
    })
    return certificateIn(answer, publicKey)
  })
}

function certificateIn(answer: Answer, publicKey: string): string {
  check(answer)
  const text = own(own(answer.body, 'data'), 'signed_key')
  const certificate = typeof text === 'string' ? text.trim() : ''
  if (!isOfKey(certificate, publicKey)) throw new SourceFailure('unreadable')
  return certificate
}

/** Whether a line is a certificate of this very key: Ed25519 alone is signed. */
function isOfKey(certificate: string, publicKey: string): boolean {
  const [name, certified = '', ...rest] = certificate.split(' ')
  const [type, key = ''] = publicKey.split(' ')
  if (name !== CERTIFICATE_TYPE || type !== 'ssh-ed25519' || rest.join(' ').includes('\n')) return false
  return readCertificate(Buffer.from(certified, 'base64'))?.key.equals(Buffer.from(key, 'base64')) === true
}

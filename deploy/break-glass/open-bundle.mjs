#!/usr/bin/env node
/**
 * Opens a break-glass bundle of Sallyport without Sallyport (docs/operate-accounts.md). Node 20 or later, nothing else.
 *
 *   node open-bundle.mjs request                       whoever brings people together: makes request.key, prints a request
 *   node open-bundle.mjs answer FILE REQUEST           each holder, at their own computer: prints an answer
 *   node open-bundle.mjs open FILE ANSWER ANSWER …     whoever asked: prints the accounts as CSV
 *
 * FILE is what a holder was sent; for `open` that of any of them. Requests and answers go by mail, chat or phone: an answer
 * is sealed to the request, so a share is never in clear but inside the two programs. Compare the check words of a request
 * by voice before you answer it: whoever could exchange it would get the answers.
 *
 * Once it was opened, an administrator says so on the page of the bundle as soon as Sallyport is back: all its secrets are
 * changed then. Delete request.key.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  scryptSync,
} from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const FORMAT = 'sallyport break-glass 1'
const KEY_FILE = 'request.key'

class Refusal extends Error {}

function usage() {
  const [, ...lines] = readFileSync(new URL(import.meta.url), 'utf8').split('\n')
  return lines
    .slice(3, 6)
    .map((line) => line.slice(3))
    .join('\n')
}

function request() {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  writeFileSync(KEY_FILE, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  const text = wordOf('request', rawOf(publicKey))
  console.error(`Check words: ${checkWords(text)}\nRead them to each holder. ${KEY_FILE} stays here.`)
  console.log(text)
}

async function answer(file, wanted) {
  const { head, content, share } = readBundle(file)
  const theirs = publicKeyOf(bytesOf('request', wanted))
  console.error(`Bundle: ${head.name}, sealed ${head.date}\nYou: ${head.holders[share.number - 1]}`)
  console.error(
    `Check words of the request: ${checkWords(wanted)}\nGo on only if you have heard the same from whoever asks.`,
  )
  const password = await askPassword('Your file encryption password: ')
  const { N, r, p } = share
  const own = scryptSync(password.normalize('NFC'), from64(share.salt), 32, { N, r, p, maxmem: 256 * N * r })
  const plain = opened(
    own,
    share,
    JSON.stringify([head.id, content.tag, share.number]),
    'That is not the password of this file.',
  )
  const once = generateKeyPairSync('x25519')
  const mine = rawOf(once.publicKey)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', common(once.privateKey, theirs, mine), iv).setAAD(about(head, content))
  const sealed = Buffer.concat([cipher.update(Buffer.concat([Buffer.of(share.number), plain])), cipher.final()])
  console.log(wordOf('answer', Buffer.concat([mine, iv, cipher.getAuthTag(), sealed])))
}

function open(file, ...answers) {
  const { head, content } = readBundle(file)
  const key = createPrivateKey(readText(KEY_FILE))
  const shares = new Map(answers.map((text) => shareOf(text, key, head, content)))
  const missing = head.threshold - shares.size
  if (missing > 0) throw new Refusal(`${head.threshold} holders open this bundle: ${missing} more to go.`)
  const secret = combine([...shares])
  const plain = opened(secret, content, JSON.stringify(head), 'These answers do not open this bundle.')
  console.error(
    `${head.name}, sealed ${head.date}. When Sallyport is back, say on the bundle's page that it was opened.`,
  )
  for (const { rows } of JSON.parse(plain).sheets) console.log(`${rows.map(csv).join('\n')}\n`)
}

function shareOf(text, key, head, content) {
  const bytes = bytesOf('answer', text)
  const [mine, iv, tag, data] = [
    bytes.subarray(0, 32),
    bytes.subarray(32, 44),
    bytes.subarray(44, 60),
    bytes.subarray(60),
  ]
  const failure = 'An answer is of another bundle or to another request.'
  const sealed = { iv: to64(iv), tag: to64(tag), data: to64(data) }
  const plain = opened(common(key, publicKeyOf(mine), mine), sealed, about(head, content), failure)
  return [plain[0], plain.subarray(1)]
}

/** Lagrange's interpolation at 0 over GF(256): points are [number, bytes]. */
function combine(points) {
  return Buffer.from(
    points[0][1].map((_, at) =>
      points.reduce((sum, [x, bytes]) => {
        const others = points.filter(([other]) => other !== x)
        return sum ^ others.reduce((value, [other]) => multiply(value, multiply(other, inverse(other ^ x))), bytes[at])
      }, 0),
    ),
  )
}

function multiply(a, b) {
  let product = 0
  for (let bit = 0; bit < 8; bit++) {
    product ^= -((b >> bit) & 1) & a
    a = (a << 1) ^ (-(a >> 7) & 0x11b)
  }
  return product
}

/** The 254th power: there are 255 numbers but 0. */
const inverse = (a) => Array.from({ length: 253 }).reduce((power) => multiply(power, a), a)

function opened(key, { iv, tag, data }, about, failure) {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, from64(iv)).setAAD(Buffer.from(about)).setAuthTag(from64(tag))
    return Buffer.concat([decipher.update(from64(data)), decipher.final()])
  } catch {
    throw new Refusal(failure)
  }
}

function readBundle(file) {
  const bundle = (() => {
    try {
      return JSON.parse(readText(file))
    } catch (error) {
      if (error instanceof Refusal) throw error
    }
  })()
  if (bundle?.head?.format !== FORMAT) throw new Refusal(`${file} is no break-glass bundle.`)
  return bundle
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new Refusal(file ? `${file} cannot be read.` : usage())
  }
}

/** What both ends of an answer know, and nobody else. */
const common = (privateKey, publicKey, once) =>
  Buffer.from(hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), once, `${FORMAT} answer`, 32))
const about = (head, content) => Buffer.from(JSON.stringify([head.id, content.tag]))

const rawOf = (key) => from64(key.export({ format: 'jwk' }).x)
const publicKeyOf = (raw) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: Buffer.from(raw).toString('base64url') }, format: 'jwk' })
const wordOf = (kind, bytes) => `${kind}:${bytes.toString('base64url')}`
const checkWords = (text) => createHash('sha256').update(text).digest('hex').slice(0, 24).match(/.{4}/g).join(' ')

function bytesOf(kind, text = '') {
  const [, word] = new RegExp(`^${kind}:([\\w-]+)$`).exec(text.trim()) ?? []
  const bytes = Buffer.from(word ?? '', 'base64url')
  if (bytes.length < 32) throw new Refusal(`That is no ${kind}: it begins with "${kind}:" and is one line.`)
  return bytes
}

const from64 = (text) => Buffer.from(text, 'base64')
const to64 = (bytes) => bytes.toString('base64')
const csv = (row) =>
  row.map((cell) => (/[",\n\r]/.test(cell ?? '') ? `"${String(cell).replaceAll('"', '""')}"` : (cell ?? ''))).join(',')

/** Asked for without showing it; one line of the input where that is no terminal. */
async function askPassword(prompt) {
  const { stdin } = process
  if (stdin.isTTY) {
    process.stderr.write(prompt)
    stdin.setRawMode(true)
  }
  let typed = ''
  for await (const bytes of stdin.setEncoding('utf8')) {
    for (const letter of bytes) {
      if (letter === '\u0003') throw new Refusal('')
      if (letter === '\r' || letter === '\n') {
        if (stdin.isTTY) stdin.setRawMode(false)
        process.stderr.write('\n')
        return typed
      }
      typed = letter === '\u007f' || letter === '\b' ? typed.slice(0, -1) : typed + letter
    }
  }
  return typed
}

const commands = { request, answer, open }
const [name, ...given] = process.argv.slice(2)
try {
  if (!Object.hasOwn(commands, name ?? '')) throw new Refusal(usage())
  await commands[name](...given)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}

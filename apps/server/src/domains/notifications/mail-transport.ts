import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import nodemailer from 'nodemailer'
import { bareHost } from '../../kernel/bare-host.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { judgedPlace } from '../../kernel/outbound/judged-lookup.ts'
import type { Settings } from '../settings/index.ts'
import type { MailAttachment } from './mail-layout.ts'

/** The settings that are needed to send (docs/rules/settings.md#setting_email). */
export type MailSettings = Pick<
  Settings,
  | 'EMAIL_HOST'
  | 'EMAIL_PORT'
  | 'EMAIL_HOST_USER'
  | 'EMAIL_HOST_PASSWORD'
  | 'EMAIL_FROM'
  | 'EMAIL_USE_SSL'
  | 'EMAIL_USE_TLS'
>

export interface RenderedMail {
  to: string
  subject: string
  text: string
  html: string
  attachments?: readonly MailAttachment[]
}

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

/**
 * Whether mail can be sent at all: host and account are filled in
 * (docs/rules/notifications.md#channels).
 */
export function isMailOn(settings: MailSettings): boolean {
  return settings.EMAIL_HOST !== '' && settings.EMAIL_HOST_USER !== ''
}

/**
 * Hands one mail to the SMTP server and waits until it is accepted. With SSL or TLS the server's
 * certificate must be valid.
 * @throws nodemailer's errors, whose `code` and `responseCode` say what went wrong
 */
export async function deliver(settings: MailSettings, mail: RenderedMail): Promise<void> {
  const transport = transportTo(settings)
  try {
    await transport.sendMail({
      ...mail,
      // It contains names and titles of people.
      subject: mail.subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
      attachments: (mail.attachments ?? []).map((file) => ({ ...file, encoding: 'base64' })),
      to: { name: '', address: mail.to },
      from: { name: '', address: senderOf(settings) },
    })
  } finally {
    transport.close()
  }
}

/**
 * Whether the server answers, encrypts as the settings want, and takes the sign-in; no mail is sent.
 * @throws as `deliver`
 */
export async function tryMailServer(settings: MailSettings): Promise<void> {
  const transport = transportTo(settings)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

function transportTo(settings: MailSettings) {
  const { EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_SSL, EMAIL_USE_TLS } = settings
  const port = Number(EMAIL_PORT || (EMAIL_USE_SSL ? 465 : EMAIL_USE_TLS ? 587 : 25))
  return nodemailer.createTransport({
    host: bareHost(EMAIL_HOST),
    port,
    // By itself it would look names up apart from connecting.
    getSocket: (_options, done) =>
      void connected(EMAIL_HOST, port).then((connection) => done(null, { connection }), done),
    secure: EMAIL_USE_SSL,
    requireTLS: EMAIL_USE_TLS,
    // Opportunistic encryption is better than none, even with a certificate that can't be verified.
    ...(EMAIL_USE_SSL || EMAIL_USE_TLS ? {} : { tls: { rejectUnauthorized: false } }),
    ...(EMAIL_HOST_PASSWORD ? { auth: { user: EMAIL_HOST_USER, pass: EMAIL_HOST_PASSWORD } } : {}),
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Messages are text of ours: nothing in them may make nodemailer read a file or fetch an
    // address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** A connection to the mail server; one that takes too long fails with `ETIMEDOUT`. */
async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect(judgedPlace({ host, port }))
  const late = setTimeout(
    () => socket.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })),
    CONNECT_MS,
  )
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(late)
  }
}

/** The address that mails are sent from. */
export const senderOf = ({
  EMAIL_FROM,
  EMAIL_HOST_USER,
}: Pick<MailSettings, 'EMAIL_FROM' | 'EMAIL_HOST_USER'>): string => EMAIL_FROM || EMAIL_HOST_USER

interface SmtpError extends Error {
  code?: string
  /** The server's whole answer, and the status that it begins with. */
  response?: string
  responseCode?: number
}

/** Whether the server refused for good, so that sending again is useless (RFC 5321 §4.2.1). */
export function isFinal(error: unknown): boolean {
  return ((error as SmtpError).responseCode ?? 0) >= 500
}

/**
 * What went wrong, in words for the administrator who sets up the mail server, with the server's
 * own answer where there is one.
 */
export function explainMailError(error: unknown, language: Language): string {
  const { code = '', response, message } = error as SmtpError
  const say = (text: string) => translate(language, text)
  const reason =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? say('The host name of the mail server cannot be resolved')
      : code === 'ETIMEDOUT'
        ? say('The mail server does not answer')
        : code === 'EAUTH' || code === 'ENOAUTH'
          ? say('The mail server refuses this account or password')
          : code === 'EENVELOPE'
            ? say('The mail server refuses the sender or the recipient')
            : code === 'EMESSAGE'
              ? say('The mail server refuses the message')
              : code === 'ETLS' || isCertificateFault(error)
                ? say('No encrypted connection to the mail server could be made')
                : say('The mail server cannot be reached with these settings')
  // A text that is no reply of a mail server (RFC 5321, 4.2) comes from another service, whose
  // words are not for a person who tries an address.
  if (response !== undefined && !/^[2-5]\d\d(?:[ -]|$)/.test(response)) return reason
  return `${reason} (${(response ?? message).slice(0, 300)})`
}

function isCertificateFault(error: unknown): boolean {
  const { message } = error as Error
  return /certificate|\bSSL\b|\bTLS\b|wrong version number/i.test(message)
}

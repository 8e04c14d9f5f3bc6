import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { ForwardingTarget } from '@sallyport/contract/resources/audits/forwarding.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { settingsOf } from '../../settings/index.ts'
import { type Destination, deliver } from './deliver.ts'
import { type AuditEvent, messageOf } from './message.ts'
import { postEvents, type Webhook, webhookOf } from './webhook.ts'

/**
 * A system that gets events: its address, and how to send them. Throws where not all have certainly
 * arrived.
 */
export interface Target {
  name: ForwardingTarget
  /** As people read it. */
  address: string
  form: string
  tell(events: readonly AuditEvent[]): Promise<void>
}

/**
 * The systems that get events, by the settings of the installation. Throws StartRefusal for wrong
 * ones.
 */
export function targetsOf(kernel: Kernel): Target[] {
  const settings = settingsOf(kernel)
  const syslog = destinationOf(kernel)
  const webhook = webhookOf(settings.get('AUDIT_WEBHOOK_URL'), settings.get('AUDIT_WEBHOOK_SECRET'))
  return [...(syslog ? [syslogTarget(kernel, syslog)] : []), ...(webhook ? [webhookTarget(kernel, webhook)] : [])]
}

export const syslogTarget = (kernel: Kernel, to: Destination): Target => ({
  name: 'syslog',
  address: `${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`,
  form: `${to.transport.toUpperCase()}, ${FORMS[to.format]}`,
  tell: (events) =>
    deliver(
      to,
      events.map((event) => messageOf(event, to.format, senderOf(kernel))),
    ),
})

const FORMS: Readonly<Record<Destination['format'], string>> = {
  plain: 'plain syslog',
  rfc5424: 'RFC 5424',
  cef: 'CEF',
  json: 'JSON lines',
}

export const webhookTarget = (kernel: Kernel, to: Webhook): Target => ({
  name: 'webhook',
  // A token may be in the rest.
  address: to.url.origin,
  form: 'JSON, HMAC-SHA256',
  tell: (events) =>
    postEvents(to, `{"events":[${events.map((event) => messageOf(event, 'json', senderOf(kernel))).join(',')}]}`),
})

const senderOf = (kernel: Kernel) => ({
  host: hostname(),
  facility: settingsOf(kernel).get('SYSLOG_FACILITY'),
  version: PRODUCT_VERSION,
})

function destinationOf(kernel: Kernel): Destination | undefined {
  const settings = settingsOf(kernel)
  const address = settings.get('SYSLOG_ADDR')
  if (!address) return undefined
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? []
  const host = bracketed ?? plain
  if (!host || Number(port) < 1 || Number(port) > 65_535)
    throw new StartRefusal(`SYSLOG_ADDR must be a host and a port, such as 10.0.0.9:514, and not "${address}"`)
  const file = settings.get('SYSLOG_CA_FILE')
  return {
    host,
    port: Number(port),
    transport: settings.get('SYSLOG_TRANSPORT'),
    format: settings.get('SYSLOG_FORMAT'),
    ca: file ? readAuthority(file) : undefined,
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartRefusal(`SYSLOG_CA_FILE names a file that cannot be read: ${file}`, { cause })
  }
}

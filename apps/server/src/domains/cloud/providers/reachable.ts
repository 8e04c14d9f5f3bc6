import { type LookupAddress, lookup } from 'node:dns'
import { isIP } from 'node:net'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import { CloudError } from './cloud-error.ts'

/**
 * Where no cloud is, but this server itself or what tells its host's secrets: addresses of the own
 * machine, of the link (the metadata services of clouds), of many, and of nobody. A company's own
 * networks are where private clouds are, and open.
 */
const isClosed = matcherOf([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.0/3',
  '::',
  '::1',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::/32',
])

const closed = () => new CloudError('forbidden', 'this address is not open to clouds')

/** Throws for an address that is closed; names are looked at when they are resolved. */
export function checkReachable(hostname: string): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) && isClosed(address)) throw closed()
}

type Done = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * Resolves a name for a connection, which is made to what was checked: asked twice, a name may lead
 * elsewhere the second time.
 */
export function lookupReachable(hostname: string, options: object, done: Done): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    if (addresses.some(({ address }) => isClosed(address))) return done(closed(), [])
    const [first] = addresses
    if ('all' in options && options.all) done(null, addresses)
    else done(null, first?.address ?? '', first?.family)
  })
}

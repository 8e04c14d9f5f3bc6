import type { ReplayStorageType } from '@sallyport/contract/resources/terminal/replay-storage-types.ts'
import type { S3Place } from '../store/s3-bucket.ts'

/** Types that speak as S3 does. */
export type S3Type = Exclude<ReplayStorageType, 'null' | 'server' | 'azure'>

/**
 * Where recordings were always put in such a bucket (docs/rules/terminal.md#replay_files:
 * `<date>/<session id><suffix>`).
 */
const PREFIX = ''
/** What stores take that have no regions. */
const ANY_REGION = 'us-east-1'
/** `s3.eu-central-1.amazonaws.com`, `s3-eu-west-1.…`, `oss-cn-hangzhou.aliyuncs.com`, `obs.cn-north-4.myhuaweicloud.com` */
const REGION_IN_HOST: Partial<Record<S3Type, RegExp>> = {
  s3: /^s3[.-](?:dualstack\.)?([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/,
  oss: /^(oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com$/,
  obs: /^obs\.([a-z0-9-]+)\.myhuaweicloud\.com$/,
}

/** What such a storage's fields mean to a client of S3. `keys` are in clear. */
export function s3PlaceOf(
  type: S3Type,
  meta: Readonly<Record<string, unknown>>,
  keys: Pick<S3Place, 'accessKey' | 'secretKey'>,
): S3Place {
  const url = endpointOf(type, meta)
  const bucket = String(meta.BUCKET ?? '')
  const region = String(meta.REGION || '') || REGION_IN_HOST[type]?.exec(url.hostname)?.[1] || ANY_REGION
  // OSS takes the bucket in the host alone.
  if (type === 'oss' && !url.hostname.startsWith(`${bucket}.`) && /[a-z]/.test(url.hostname))
    url.hostname = `${bucket}.${url.hostname}`
  return { endpoint: url.origin, region, bucket, prefix: PREFIX, ...keys }
}

/** The address of a storage; one without a scheme is what its type usually has. Throws for what is no address. */
export function endpointOf(type: S3Type, { ENDPOINT, PROTOCOL }: Readonly<Record<string, unknown>>): URL {
  const text = String(ENDPOINT ?? '').trim()
  if (/^https?:\/\//i.test(text)) return new URL(text)
  if (text.includes('://')) throw new TypeError('another scheme')
  return new URL(`${type === 'swift' ? (PROTOCOL ?? 'http') : 'https'}://${text}`)
}

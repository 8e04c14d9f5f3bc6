import { rm, stat } from 'node:fs/promises'
import type { Config } from '../../../kernel/config.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { S3Bucket, StoreRefusal } from '../../terminal/recording/index.ts'
import type { Place } from './place.ts'

export interface BucketAddress {
  bucket: string
  prefix: string
}

/** A bucket of an S3-compatible store: with the settings of its own, else with those of recordings. */
export function bucketPlace({ bucket, prefix }: BucketAddress, config: Config, workshop: string): Place {
  const name = `s3://${bucket}${prefix && `/${prefix}`}`
  const region = config.backupRegion ?? config.recordingsRegion
  const endpoint = config.backupEndpoint ?? config.recordingsEndpoint ?? `https://s3.${region}.amazonaws.com`
  const accessKey = config.backupAccessKey ?? config.recordingsAccessKey
  const secretKey = config.backupSecretKey ?? config.recordingsSecretKey
  if (!accessKey || !secretKey)
    throw new StartRefusal(
      `Backups in ${name} need SALLYPORT_BACKUP_ACCESS_KEY and SALLYPORT_BACKUP_SECRET_KEY, or those of SALLYPORT_RECORDINGS`,
    )
  const store = new S3Bucket({ endpoint, region, bucket, prefix, accessKey, secretKey })
  return {
    name,
    workshop,
    async check() {
      try {
        await store.check()
      } catch (error) {
        throw new StartRefusal(`${name}: ${wordsOf(error, bucket, endpoint)}`, { cause: error })
      }
    },
    async find(wanted) {
      const found = await store.find(wanted)
      return found && { name: found.name, bytes: found.bytes }
    },
    async *list(begin) {
      for await (const { name: found, bytes } of store.list(begin)) yield { name: found, bytes }
    },
    open: (wanted) => store.open(wanted),
    async keep(wanted, path) {
      await store.upload(wanted, path, (await stat(path)).size)
      await rm(path, { force: true })
    },
    remove: (wanted) => store.remove(wanted),
  }
}

/** The fault, with the setting to mend it. */
function wordsOf(error: unknown, bucket: string, endpoint: string): string {
  if (!(error instanceof StoreRefusal)) return `${endpoint} cannot be reached (${(error as Error).message})`
  const { fault, message } = error
  switch (fault) {
    case 'no_bucket':
      return `${endpoint} has no bucket ${bucket}: make it, or correct SALLYPORT_BACKUP or SALLYPORT_BACKUP_ENDPOINT`
    case 'denied':
      return `SALLYPORT_BACKUP_ACCESS_KEY and SALLYPORT_BACKUP_SECRET_KEY may not list, read, write and delete in the bucket (${endpoint} answers ${message})`
    case 'clock':
      return `the clocks of this machine and of ${endpoint} differ by more than a quarter of an hour (${message})`
    default:
      return `${endpoint} answers ${message}: look at SALLYPORT_BACKUP_REGION and at the store`
  }
}

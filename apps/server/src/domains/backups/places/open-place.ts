import { statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Config } from '../../../kernel/config.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { type BucketAddress, bucketPlace } from './bucket-place.ts'
import { folderPlace } from './folder-place.ts'
import type { Place } from './place.ts'

/** In the data directory: files of backups for a bucket, before they are sent. */
const WORKSHOP = 'backup-workshop'

/**
 * The place of that address: a folder, or `s3://bucket/folder`.
 * @throws StartRefusal where it is no such address, or a folder in the data directory
 */
export function openPlace(address: string, config: Config, directory = process.cwd()): Place {
  if (address.startsWith('s3:')) return bucketPlace(bucketOf(address), config, join(config.dataDirectory, WORKSHOP))
  const folder = resolve(directory, address)
  const below = relative(config.dataDirectory, folder)
  if (!below.startsWith('..') && !isAbsolute(below))
    throw new StartRefusal(
      `${folder} is in the data directory ${config.dataDirectory}: a backup belongs on another disk. Name another folder`,
    )
  return folderPlace(folder, ownerOf(config.dataDirectory))
}

function bucketOf(address: string): BucketAddress {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+[a-z0-9])(?:\/(.*?))?\/?$/.exec(address) ?? []
  if (!bucket) throw new StartRefusal(`${address} is no address of a bucket: write s3://bucket/folder`)
  return { bucket, prefix }
}

/** Root works for the account of the service: backups that the service makes go to the same place. */
function ownerOf(dataDirectory: string) {
  if (process.getuid?.() !== 0) return undefined
  const found = statSync(dataDirectory, { throwIfNoEntry: false })
  return found && { uid: found.uid, gid: found.gid }
}

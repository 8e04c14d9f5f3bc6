import type { FileHandle } from 'node:fs/promises'
import type { S3mini, UploadPart } from 's3mini'

/** Larger files are uploaded in pieces of this size … */
const PIECE_BYTES = 8 * 1024 * 1024
/** … or larger ones, as a store accepts a limited number of pieces. */
const MAX_PIECES = 10_000

/**
 * Uploads a file of `size` bytes, one piece in memory at a time; it appears only once complete.
 */
export async function uploadFile(client: S3mini, key: string, file: FileHandle, size: number): Promise<void> {
  const length = Math.max(PIECE_BYTES, Math.ceil(size / MAX_PIECES))
  if (size <= length) return void (await client.putObject(key, await pieceOf(file, 0, size)))
  const upload = await client.getMultipartUploadId(key)
  try {
    const parts: UploadPart[] = []
    for (let from = 0; from < size; from += length)
      parts.push(
        await client.uploadPart(
          key,
          upload,
          await pieceOf(file, from, Math.min(length, size - from)),
          parts.length + 1,
        ),
      )
    await client.completeMultipartUpload(key, upload, parts)
  } catch (error) {
    // The pieces that were sent would be stored, and paid for, without end.
    await client.abortMultipartUpload(key, upload).catch(() => {})
    throw error
  }
}

async function pieceOf(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
  if (bytesRead < length) throw new Error('the recording has become shorter while it was uploaded')
  return buffer
}

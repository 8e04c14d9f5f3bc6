import { sizeText } from '@sallyport/contract/size-text.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { type GivenFiles, giveFile, readGivenFiles, removeGivenFile } from './given-files.ts'

/** A file on its way to the machine. */
export interface Giving {
  key: number
  name: string
  /** Share of 1. */
  part: number
  /** Why it did not get there. */
  failure?: string
}

/**
 * What lies in the folder of a session or on the machine's clipboard, and what is on its way there.
 * `version` changes with each change that the gateway reports; `onNews` gets, in words, each
 * the machine has put there meanwhile.
 */
export function useGivenFiles(session: string | undefined, version: number, onNews: (words: string) => void) {
  const [listing, setListing] = useState<GivenFiles>()
  const [failure, setFailure] = useState<string>()
  const [giving, setGiving] = useState<readonly Giving[]>([])
  const known = useRef<Set<number>>(undefined)
  /** Number of the newest file that was copied on the machine; undefined until that was asked. */
  const lastCopied = useRef<number>(undefined)
  const nextKey = useRef(0)
  const reads = useRef(0)
  const over = useRef(new AbortController())
  const news = useRef(onNews)
  news.current = onNews

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has other files
  useEffect(() => {
    const mine = new AbortController()
    over.current = mine
    reads.current++
    known.current = undefined
    lastCopied.current = undefined
    setListing(undefined)
    setFailure(undefined)
    setGiving([])
    return () => mine.abort()
  }, [session])

  const read = useCallback(async () => {
    if (!session || !version) return
    const mine = ++reads.current
    try {
      const now = await readGivenFiles(session)
      // A later question is newer, whichever answer comes first.
      if (mine !== reads.current) return
      const whole = now.entries.filter(({ is_own, is_open }) => !is_own && !is_open)
      const fresh = whole.filter(({ id }) => known.current && !known.current.has(id))
      known.current = new Set(whole.map(({ id }) => id))
      setListing(now)
      setFailure(undefined)
      const last = fresh.at(-1)
      if (last) news.current(arrivedWords(last.name))
      const newest = now.copied.at(-1)?.id ?? 0
      // Files from before this page were no news.
      if (newest > (lastCopied.current ?? newest)) news.current(copiedWords(now.copied.length))
      lastCopied.current = Math.max(newest, lastCopied.current ?? 0)
    } catch (error) {
      if (mine === reads.current) setFailure(errorText(error))
    }
  }, [session, version])

  useEffect(() => void read(), [read])

  const change = (key: number, how: Partial<Giving> | undefined) =>
    setGiving((all) => all.flatMap((one) => (one.key !== key ? [one] : how ? [{ ...one, ...how }] : [])))

  /** One after the other, so that each has the whole line. What can't be given says why in its place. Answers the numbers of those that are there then. */
  const give = async (files: readonly File[], folders: readonly string[] = []): Promise<number[]> => {
    if (!session) return []
    const given: number[] = []
    const { signal } = over.current
    const all = files.map((file) => ({ file, key: nextKey.current++ }))
    const left = listing?.bytes_left ?? Number.POSITIVE_INFINITY
    const isTooLarge = (file: File) => file.size > left
    setGiving((now) => [
      ...now,
      ...folders.map((name) => ({ key: nextKey.current++, name, part: 0, failure: FOLDER_WORDS() })),
      ...all.map(({ file, key }) => ({
        ...{ key, name: file.name, part: 0 },
        ...(isTooLarge(file) ? { failure: tooLargeWords(left) } : {}),
      })),
    ])
    for (const { file, key } of all.filter((one) => !isTooLarge(one.file))) {
      try {
        given.push(
          await giveFile(session, file, signal, (sent) => change(key, { part: file.size ? sent / file.size : 1 })),
        )
        change(key, undefined)
      } catch (error) {
        if (signal.aborted) return []
        change(key, { failure: errorText(error) })
      }
    }
    return given
  }

  const remove = (id: number) => {
    if (session) removeGivenFile(session, id).catch((error: unknown) => setFailure(errorText(error)))
  }

  return { listing, failure, giving, give, remove, read, forget: (key: number) => change(key, undefined) }
}

const FOLDER_WORDS = () => t('Folders can’t be given: give their files.')
const tooLargeWords = (left: number) => t('There is room for {{size}} more in this session.', { size: sizeText(left) })
const copiedWords = (count: number) =>
  t('{{count|file was|files were}} copied on the machine: take what you need under Files.', { count })
/** The message when the machine has put a file there. */
const arrivedWords = (name: string) => t('The machine has put {{name}} into Files.', { name })

/** The message when files of the person's are on the machine's clipboard. */
export const onClipboardWords = (count: number) =>
  t('{{count|file is|files are}} on the clipboard of the machine: paste there with Ctrl+V.', { count })

/** Why files that were dropped are not taken. */
export const refusedWords = (listing: GivenFiles | undefined) =>
  listing && !listing.may_upload
    ? t('You have no permission to upload to this machine.')
    : t('No files can be given to this machine now.')

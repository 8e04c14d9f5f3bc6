import { KEY_ANSWERS } from '@sallyport/contract/socket/keys.ts'
import { useEffect, useRef, useState } from 'react'
import type { Ask } from '../pane/questions.ts'
import { type KeyName, keyId, patternOf } from './key-tree.ts'

/** More keys than these are not loaded into the page. */
export const KEYS_MAX = 100_000
const START = '0'
/** A page of a search may take the server several answers. */
const PAGE_KEYS = 500

export interface KeySearch {
  text: string
  /** Type, in the server's word; empty for any. */
  type: string
}

export interface KeyList {
  search: KeySearch
  keys: readonly KeyName[]
  /** Number of keys in the database, where the server says so. */
  total: number | undefined
  /** The server's cursor; '0' behind the last, undefined before its first answer. */
  next: string | undefined
  isLoading: boolean
  /** Why there are no more. */
  problem: string | undefined
}

const NO_SEARCH: KeySearch = { text: '', type: '' }
const NONE: KeyList = {
  search: NO_SEARCH,
  keys: [],
  total: undefined,
  next: undefined,
  isLoading: false,
  problem: undefined,
}

/** The keys that were loaded so far, page by page; `isReady` when the server can be asked. */
export function useKeyList(ask: Ask, isReady: boolean) {
  const [list, setList] = useState(NONE)
  /** Earlier questions are not waited for any more. */
  const asked = useRef(0)
  /** The server may name a key twice. */
  const known = useRef(new Map<string, KeyName>())
  const now = useRef(list)
  now.current = list

  /** Goes on where the list ends, one page, or up to the end. */
  const load = async (from: Pick<KeyList, 'search' | 'next'>, isAll: boolean) => {
    const own = ++asked.current
    let next = from.next ?? START
    const before = known.current.size
    const { text, type } = from.search
    setList((one) => ({ ...one, isLoading: true, problem: undefined }))
    try {
      do {
        const found = await ask({ about: 'keys', cursor: next, pattern: patternOf(text), type }, KEY_ANSWERS.keys)
        if (own !== asked.current) return
        for (const key of found.keys) known.current.set(keyId(key), key)
        next = found.next
        const { total } = found
        const keys = [...known.current.values()]
        setList((one) => ({ ...one, keys, next, ...(total === undefined ? {} : { total }) }))
        if (!isAll && known.current.size >= before + PAGE_KEYS) break
      } while (next !== START && known.current.size < KEYS_MAX)
      setList((one) => ({ ...one, isLoading: false }))
    } catch (error) {
      if (own === asked.current) setList((one) => ({ ...one, isLoading: false, problem: (error as Error).message }))
    }
  }
  const begin = (search: KeySearch) => {
    known.current = new Map()
    setList({ ...NONE, search })
    void load({ search, next: undefined }, false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the server is there, what was looked for last
  useEffect(() => {
    if (isReady) begin(now.current.search)
    else asked.current++
  }, [isReady])

  return {
    list,
    begin,
    more: (isAll: boolean) => void load(now.current, isAll),
    stop() {
      asked.current++
      setList((one) => ({ ...one, isLoading: false }))
    },
  }
}

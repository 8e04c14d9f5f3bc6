/** The search in what a terminal shows and has scrolled away. */
import { SearchAddon } from '@xterm/addon-search'
import type { Terminal } from '@xterm/xterm'

/** More matches than this are not counted: each of them is marked. */
export const MATCHES_MAX = 1000

export interface FindWanted {
  text: string
  isCaseSensitive: boolean
}

/** `at` counts from 1; 0 where none is chosen, or there are too many to count. */
export interface Found {
  at: number
  count: number
}

export interface Finder {
  /** Chooses the next match below, or above; `isTyped`: the text grows, and a match that still fits stays. */
  next: (wanted: FindWanted, isTyped?: boolean) => void
  previous: (wanted: FindWanted) => void
  /** Takes the marks away. */
  end: () => void
  /** Told how many matches there are, and which is chosen. Returns a function that ends it. */
  onFound: (listener: (found: Found) => void) => () => void
}

const MARKS = {
  matchBackground: '#6b5300',
  matchOverviewRuler: '#c9a227',
  activeMatchBackground: '#d98c00',
  activeMatchColorOverviewRuler: '#ffb02e',
} as const

export function finderIn(terminal: Terminal): Finder {
  const search = new SearchAddon({ highlightLimit: MATCHES_MAX })
  terminal.loadAddon(search)
  let wasCaseSensitive = false
  const options = ({ isCaseSensitive }: FindWanted, incremental = false) => {
    // The library counts again for another text alone.
    if (isCaseSensitive !== wasCaseSensitive) search.clearDecorations()
    wasCaseSensitive = isCaseSensitive
    return { caseSensitive: isCaseSensitive, incremental, decorations: MARKS }
  }
  const end = () => {
    search.clearDecorations()
    terminal.clearSelection()
  }
  return {
    next: (wanted, isTyped = false) =>
      wanted.text === '' ? end() : void search.findNext(wanted.text, options(wanted, isTyped)),
    previous: (wanted) => (wanted.text === '' ? end() : void search.findPrevious(wanted.text, options(wanted))),
    end,
    onFound(listener) {
      const listening = search.onDidChangeResults(({ resultIndex, resultCount }) =>
        listener({ at: resultIndex + 1, count: resultCount }),
      )
      return () => listening.dispose()
    },
  }
}

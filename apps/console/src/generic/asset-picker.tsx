import { useEffect, useRef, useState } from 'react'
import { lazily } from './lazily.tsx'

export interface AssetPickerProps {
  /** Already translated. */
  title: string
  /** Ids that are ticked at first. */
  chosen: readonly string[]
  /** Ids that are tied already: ticked, and not to be chosen again. */
  taken?: readonly string[]
  onConfirm: (ids: string[]) => void
  onCancel: () => void
}

type Question = Pick<AssetPickerProps, 'title' | 'chosen' | 'taken'> & { answer: (ids: string[] | undefined) => void }

const Dialog = lazily<AssetPickerProps>(() => import('./AssetPickerDialog.tsx').then((m) => m.AssetPickerDialog))

let ask: ((question: Question) => void) | undefined

/** Lets a person choose assets in a tree and a table; all ids that are ticked in the end, undefined when cancelled. */
export function pickAssets(wish: Omit<Question, 'answer'>): Promise<string[] | undefined> {
  return new Promise((resolve) => ask?.({ ...wish, answer: resolve }))
}

/** Draws the dialog for `pickAssets`; rendered once, inside the router, whose address the dialog leaves alone. */
export function AssetPickerHost() {
  const [question, setQuestion] = useState<Question>()
  const opener = useRef<Element | null>(null)
  ask = (next) => {
    opener.current = document.activeElement
    setQuestion(next)
  }
  const isOpen = question !== undefined
  // The dialog goes at once, without the leaving in which it would give the focus back itself.
  useEffect(() => {
    if (!isOpen && opener.current instanceof HTMLElement) opener.current.focus()
  }, [isOpen])
  if (!question) return null
  const finish = (ids?: string[]) => {
    setQuestion(undefined)
    question.answer(ids)
  }
  const { answer: _, ...wish } = question
  return <Dialog {...wish} onConfirm={finish} onCancel={() => finish()} />
}

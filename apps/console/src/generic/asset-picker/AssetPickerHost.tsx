import { useEffect, useRef, useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { type AssetQuestion, onAssetQuestion } from '../widgets/remote-select/pick-assets.ts'

const Dialog = lazily(() => import('./AssetPickerDialog.tsx').then((m) => m.AssetPickerDialog))

/**
 * Draws the dialog for `pickAssets`; rendered once, inside the router, whose address the dialog
 * leaves alone.
 */
export function AssetPickerHost() {
  const [question, setQuestion] = useState<AssetQuestion>()
  const opener = useRef<Element | null>(null)
  onAssetQuestion((next) => {
    opener.current = document.activeElement
    setQuestion(next)
  })
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
  const { answer: _, ...request } = question
  return <Dialog {...request} onConfirm={finish} onCancel={() => finish()} />
}

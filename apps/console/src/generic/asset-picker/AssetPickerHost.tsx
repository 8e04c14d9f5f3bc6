import { useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { type AssetQuestion, onAssetQuestion } from '../widgets/remote-select/pick-assets.ts'

const Dialog = lazily(() => import('./AssetPickerDialog.tsx').then((m) => m.AssetPickerDialog))

/**
 * Draws the dialog for `pickAssets`; rendered once, inside the router, whose address the dialog
 * leaves alone.
 */
export function AssetPickerHost() {
  const [question, setQuestion] = useState<AssetQuestion>()
  onAssetQuestion(setQuestion)
  if (!question) return null
  const finish = (ids?: string[]) => {
    setQuestion(undefined)
    question.answer(ids)
  }
  const { answer: _, ...request } = question
  return <Dialog {...request} onConfirm={finish} onCancel={() => finish()} />
}

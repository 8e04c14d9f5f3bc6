import { App } from 'antd'
import { useEffect } from 'react'

export type Dialogs = ReturnType<typeof App.useApp>['modal']

interface FeedbackDialogsProps {
  /** Registers the component that shows dialogs; answers with a function that ends it. */
  onReady: (dialogs: Dialogs) => () => void
}

/** Where the dialogs of `feedback.tsx` are drawn; in the theme and language around it. */
export function FeedbackDialogs({ onReady }: FeedbackDialogsProps) {
  return (
    <App component={false}>
      <Given onReady={onReady} />
    </App>
  )
}

function Given({ onReady }: FeedbackDialogsProps): null {
  const { modal } = App.useApp()
  useEffect(() => onReady(modal), [onReady, modal])
  return null
}

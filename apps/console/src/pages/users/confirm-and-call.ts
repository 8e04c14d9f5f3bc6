import { ask, showSuccess } from '../../design/dialogs/feedback.tsx'

interface Question {
  /** The act and whom it is done to, as a question. */
  title: string
  /** What follows from it. */
  content: string
  /** The act again. */
  okText: string
}

/** Asks, calls, says that it is done. */
export async function confirmAndCall(question: Question, call: () => Promise<unknown>, done: string): Promise<void> {
  if (!(await ask(question))) return
  await call()
  showSuccess(done)
}

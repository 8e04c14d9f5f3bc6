/** Opens the dialog of undo, whose code comes with the first. */
export async function askUndo(what: { id: string; whole?: string | null }): Promise<void> {
  const { showUndo } = await import('./take-back.tsx')
  showUndo(what)
}

/**
 * Fetches the code of forms, with the widgets that most of them have, for somebody who is about to
 * open one. What cannot be fetched now is fetched again, and missed, when it is wanted.
 */
export async function preloadForms(): Promise<void> {
  try {
    await import('./FormPage.tsx')
  } catch {
    // The form itself will say so.
  }
}

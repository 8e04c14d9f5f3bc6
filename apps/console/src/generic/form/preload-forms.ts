/**
 * Fetches the code of forms and of the widgets that most of them have, for somebody who is about to
 * open one. What cannot be fetched now is fetched again, and missed, when it is wanted.
 */
export async function preloadForms(): Promise<void> {
  try {
    const [{ preloadWidgets }] = await Promise.all([import('../widgets/registry.tsx'), import('./FormPageBody.tsx')])
    await preloadWidgets()
  } catch {
    // The form itself will say so.
  }
}

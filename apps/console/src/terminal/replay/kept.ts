/**
 * Remembers the last answers of a slow question, also while it is being answered; failures are
 * asked again.
 */
export function kept<T>(ask: (n: number) => Promise<T>, count: number): (n: number) => Promise<T> {
  const answers = new Map<number, Promise<T>>()
  return (n) => {
    const answer = answers.get(n) ?? ask(n)
    answers.delete(n)
    answers.set(n, answer)
    answer.catch(() => answers.delete(n))
    for (const oldest of answers.keys()) {
      if (answers.size <= count) break
      answers.delete(oldest)
    }
    return answer
  }
}

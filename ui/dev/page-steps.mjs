// Actions of a user on a long timeline, for the tests and the benchmark of the page. `page` is a Playwright page.

export function scrollAbout(page) {
  return page.evaluate(`(async () => {
    const timeline = document.getElementById('timeline');
    const length = timeline.scrollHeight;
    for (let at = 0; at <= 60; at++) {
      timeline.scrollTop = (length * at) / 60;
      await new Promise(requestAnimationFrame);
    }
    for (let at = 0; at < 60; at++) {
      timeline.scrollBy(0, -400);
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

/** Searches for a text, then for another one, and waits for the rows of each. */
export async function search(page, events) {
  const found = page.getByText(new RegExp(`^[\\d,]+ of ${events.toLocaleString('en')}`));
  await page.getByLabel('Find in the timeline').pressSequentially('item 777', { delay: 30 });
  await found.waitFor();
  await page.getByLabel('Find in the timeline').fill('"jsonrpc":"2.0"');
  await found.waitFor();
}

export async function filter(page) {
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('errors only').check();
  await page.getByLabel('Server').selectOption('files');
  await page.getByLabel('slower than').fill('20');
  await page.getByText(/^[\d,]+ of /).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
}

export async function pressKeys(page) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  for (let presses = 0; presses < 60; presses++) await page.keyboard.press('j');
  await page.keyboard.press('G');
  await page.keyboard.press('N');
}

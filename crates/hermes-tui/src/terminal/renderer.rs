//! The thread that draws.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::Size;
use super::screen::{Frame, Narrowing, Screen};

/// Something to be drawn.
#[derive(Debug)]
pub(crate) enum DrawCommand {
    /// Rows that stay.
    Print(Vec<String>),
    /// The rows of the moment.
    Show(Frame),
    /// A whole screen of its own, in front of everything else.
    Page(Vec<String>),
    /// That screen goes away.
    EndPage,
    /// The terminal has another size.
    Resize(Size),
    /// The last rows that stay are printed anew: how many of them, and as what.
    Reprint(usize, Vec<String>),
    /// The screen is cleared.
    Clear,
    /// The terminal rings.
    Bell,
    /// Text goes to the clipboard of the person's machine, if the terminal lets it.
    Copy(String),
    /// The frame goes away until the next one is shown; told when it is gone.
    Wipe(Sender<()>),
}

/// Takes orders and has them drawn.
#[derive(Debug)]
pub(crate) struct ScreenRenderer {
    orders: Sender<DrawCommand>,
    thread: Option<JoinHandle<()>>,
}

impl ScreenRenderer {
    /// Draws on a terminal of this size.
    pub(crate) fn start(
        out: impl Write + Send + 'static,
        size: Size,
        narrowing: Narrowing,
    ) -> io::Result<Self> {
        let (orders, inbox) = channel();
        let thread = std::thread::Builder::new().name("drawer".to_owned()).spawn(move || {
            // A terminal that is gone cannot be drawn on, and says so to whoever reads its keys.
            let _ = draw(&inbox, Screen::new(out, size, narrowing));
        })?;
        Ok(Self { orders, thread: Some(thread) })
    }

    /// Has something drawn, soon.
    pub(crate) fn order(&self, order: DrawCommand) {
        // A drawer that has ended has lost its terminal; there is nobody to tell.
        let _ = self.orders.send(order);
    }

    /// Has everything drawn that was ordered, and the frame taken away.
    pub(crate) fn wipe(&self) {
        let (done, wait) = channel();
        self.order(DrawCommand::Wipe(done));
        let _ = wait.recv();
    }
}

impl Drop for ScreenRenderer {
    fn drop(&mut self) {
        self.wipe();
        let (closed, _) = channel();
        self.orders = closed;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Draws until nobody can order any more.
fn draw(inbox: &Receiver<DrawCommand>, screen: Screen<impl Write>) -> io::Result<()> {
    let mut drawing = Drawing::new(screen);
    while let Ok(first) = inbox.recv() {
        for order in std::iter::once(first).chain(inbox.try_iter()) {
            drawing.take(order)?;
        }
        drawing.finish()?;
    }
    Ok(())
}

/// A screen, and what is to be drawn on it with the next stroke.
pub(crate) struct Drawing<W> {
    screen: Screen<W>,
    rows: Vec<String>,
    frame: Option<Frame>,
}

impl<W: Write> Drawing<W> {
    pub(crate) fn new(screen: Screen<W>) -> Self {
        Self { screen, rows: Vec::new(), frame: None }
    }

    /// Takes an order; rows and frames wait for the end of all that came at once.
    pub(crate) fn take(&mut self, order: DrawCommand) -> io::Result<()> {
        let Self { screen, rows, frame } = self;
        match order {
            DrawCommand::Print(more) => rows.extend(more),
            DrawCommand::Show(newer) => *frame = Some(newer),
            DrawCommand::Page(rows) => screen.page(&rows)?,
            DrawCommand::EndPage => screen.end_page()?,
            DrawCommand::Resize(size) => screen.resize(size),
            DrawCommand::Reprint(count, anew) => {
                // Rows that were not drawn yet need not be wiped.
                let undrawn = rows.len().min(count);
                rows.truncate(rows.len() - undrawn);
                screen.take_back(count - undrawn);
                rows.extend(anew);
            }
            DrawCommand::Bell => screen.bell()?,
            DrawCommand::Copy(text) => screen.copy(&text)?,
            DrawCommand::Clear => {
                rows.clear();
                screen.clear()?;
            }
            DrawCommand::Wipe(done) => {
                screen.end_page()?;
                screen.update(rows, frame.as_ref().unwrap_or(&Frame::default()))?;
                rows.clear();
                *frame = None;
                screen.wipe()?;
                let _ = done.send(());
            }
        }
        Ok(())
    }

    /// Draws what waits.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if let Some(frame) = self.frame.as_ref().filter(|_| !self.screen.has_page()) {
            self.screen.update(&self.rows, frame)?;
            self.rows.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::emulator::Emulator;
    use super::*;

    #[test]
    fn everything_ordered_is_drawn_before_the_drawer_ends() {
        let size = Size { columns: 20, rows: 8 };
        let emulator = Emulator::new(size);
        let drawer = ScreenRenderer::start(emulator.clone(), size, Narrowing::Cuts).unwrap();
        for number in 0..3 {
            drawer.order(DrawCommand::Print(vec![format!("row {number}")]));
            let rows = vec![format!("> {number}")];
            drawer.order(DrawCommand::Show(Frame { rows, cursor: (0, 3) }));
        }
        drawer.order(DrawCommand::Print(vec!["last".into()]));
        drop(drawer);
        assert_eq!(emulator.text(), "row 0\nrow 1\nrow 2\nlast");
    }
}

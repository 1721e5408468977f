use super::*;
use std::ffi::CStr;
use std::os::fd::AsFd as _;

/// A command without arguments, environment or anything special.
fn plain<'a>(file: &'a Path, args: Vec<&'a OsStr>) -> ImageParts<'a> {
    ImageParts {
        lifetime: Lifetime::Survives,
        terminal: Terminal::None,
        privileges: 0,
        filter: &[],
        file,
        args,
        environment: vec![],
    }
}

fn read_table(mut at: *const *const c_char) -> Vec<String> {
    let mut strings = Vec::new();
    // SAFETY: the tables of a mapped image end with a null pointer.
    unsafe {
        while !(*at).is_null() {
            strings.push(CStr::from_ptr(*at).to_str().unwrap().to_owned());
            at = at.add(1);
        }
    }
    strings
}

#[test]
fn tables_point_to_what_was_written() {
    let (name, value) = (OsString::from("NAME"), OsString::from("a=b"));
    for environment in [vec![], vec![(&name, &value), (&value, &name)]] {
        let expected =
            environment.iter().map(|(n, v)| format!("{n}={v}", n = n.display(), v = v.display()));
        let expected: Vec<String> = expected.collect();
        let args = ["tool", "", "two words"].map(OsStr::new).to_vec();
        let parts = ImageParts { environment, ..plain(Path::new("/bin/tool"), args) };
        let (fd, len) = parts.write().unwrap();
        let image = Image::map(fd.as_fd(), len).unwrap();

        assert_eq!(image.lifetime(), Lifetime::Survives);
        assert_eq!(image.terminal(), Terminal::None);
        // SAFETY: offsets of strings that end within the image.
        let (file, shell) = unsafe { (CStr::from_ptr(image.file), CStr::from_ptr(image.shell)) };
        assert_eq!((file, shell), (c"/bin/tool", c"/bin/sh"));
        // SAFETY: the slot behind the shell slot.
        let argv = unsafe { image.shell_slot.add(1) };
        assert_eq!(read_table(argv), ["tool", "", "two words"]);
        assert_eq!(read_table(image.envp), expected);
    }
}

#[cfg(all(target_os = "linux", not(hermes_portable)))]
#[test]
fn the_filter_and_the_choices_arrive() {
    use crate::sandbox::enter::{Instruction, Privileges};

    let filter = [Instruction::load(4), Instruction::answer(7)];
    let bytes: Vec<u8> = filter.iter().flat_map(|one| one.to_bytes()).collect();
    let parts = ImageParts {
        terminal: Terminal::Controlling,
        privileges: Privileges::GivenUp as usize,
        filter: &bytes,
        ..plain(Path::new("/x"), vec![OsStr::new("x")])
    };
    let (fd, len) = parts.write().unwrap();
    let image = Image::map(fd.as_fd(), len).unwrap();
    assert_eq!(image.terminal(), Terminal::Controlling);
    let restrictions = image.restrictions();
    assert_eq!(restrictions.privileges, Privileges::GivenUp);
    // SAFETY: `map` has checked that so many instructions lie in the image.
    let arrived =
        unsafe { slice::from_raw_parts(restrictions.filter, usize::from(restrictions.filter_len)) };
    assert_eq!(arrived, filter);
}

#[test]
fn an_image_is_either_taken_or_withdrawn() {
    let image = || plain(Path::new("/x"), vec![OsStr::new("x")]).write().unwrap().0;
    let withdrawn = image();
    assert_eq!(withdraw(withdrawn.as_fd()), Withdrawn::InTime);
    assert_eq!(system::take(withdrawn.as_fd()), Err(Errno::EPERM));
    assert_eq!(withdraw(withdrawn.as_fd()), Withdrawn::InTime);

    let taken = image();
    system::take(taken.as_fd()).unwrap();
    assert_eq!(withdraw(taken.as_fd()), Withdrawn::TooLate);
}

#[test]
fn an_image_that_points_outside_itself_is_refused() {
    let good = plain(Path::new("/x"), vec![OsStr::new("x")]).encode();
    // All words but the mark, the lifetime and the terminal, and the shell slot, which is empty.
    for word in (3..HEADER_WORDS).chain([HEADER_WORDS + 1]) {
        let mut bytes = good.clone();
        bytes[word * WORD..][..WORD].copy_from_slice(&(1_usize << 40).to_ne_bytes());
        let fd = system::create_command_file(&bytes).unwrap();
        assert!(Image::map(fd.as_fd(), bytes.len()).is_err(), "word {word}");
    }
}
